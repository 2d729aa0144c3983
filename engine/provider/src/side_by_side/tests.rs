// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Of flows: their output, how far they come on a device that fails, and which queues have them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, Capabilities, Completion, Device, Direction, Job, Key, Queue, SynchronousQueue,
    Timing, TimingMethod,
};
use ciphermill_cpu::Direct;

use super::*;
use crate::account::Account;
use crate::runtime::{Runtime, value};
use crate::threshold::Thresholds;

const MODES: [(Mode, Direction); 6] = [
    (Mode::Ecb, Direction::Encrypt),
    (Mode::Ecb, Direction::Decrypt),
    (Mode::Cbc, Direction::Encrypt),
    (Mode::Cbc, Direction::Decrypt),
    (Mode::Ctr, Direction::Encrypt),
    (Mode::Ctr, Direction::Decrypt),
];

fn request((mode, direction): (Mode, Direction), number: u8) -> CipherRequest {
    let key = Key::new(&[0x42; 32]).unwrap();
    CipherRequest::new(mode, direction, key, [0xff - number; 16])
}

fn runtime() -> Runtime {
    Runtime::new(Account::new(None, Thresholds::default()))
}

/// Run flows over so many queues of a device at most.
fn on(device: impl Device + Clone + 'static, most: usize, flows: &mut [Flow<'_>]) -> Result<()> {
    let runtime = runtime();
    let leases = runtime.sessions(&move || Ok(Arc::new(device.clone())), most);
    run(leases.unwrap(), flows.iter_mut().collect())
}

/// Messages of several lengths, one of them short and one empty.
fn messages() -> Vec<Vec<u8>> {
    let message = |bytes: usize| (0..bytes).map(|index| ((index * 31) >> 4) as u8).collect();
    [10_000, 16, 0, 4096, 200_000]
        .map(|bytes| message(bytes / 16 * 16))
        .to_vec()
}

#[test]
fn flows_give_what_messages_give_and_go_on_from_their_iv() {
    for mode in MODES {
        for most in [1, 3] {
            let mut data = messages();
            let mut flows: Vec<Flow> = (0..)
                .zip(&mut data)
                .map(|(number, data)| Flow::new(request(mode, number), Span::InPlace(data)))
                .collect();
            let device = ReferenceDevice::new().with_chunk(4096);
            on(device, most, &mut flows).unwrap();
            let ivs: Vec<_> = flows.iter().map(Flow::iv).collect();
            for (number, mut expected) in messages().into_iter().enumerate() {
                let mut direct = Direct::new(&request(mode, number as u8)).unwrap();
                direct.process(&mut expected).unwrap();
                assert!(data[number] == expected, "{mode:?} {number}");
                if mode.0 != Mode::Ecb {
                    assert_eq!(ivs[number], direct.iv(), "{mode:?} {number}");
                }
            }
        }
    }
}

#[test]
fn a_device_that_fails_leaves_every_flow_to_go_on_from() {
    for mode in MODES {
        // Over two queues, too.
        for (most, jobs) in [(1, 0), (1, 3), (1, 9), (2, 4)] {
            let mut data = messages();
            let mut flows: Vec<Flow> = (0..)
                .zip(&mut data)
                .map(|(number, data)| Flow::new(request(mode, number), Span::InPlace(data)))
                .collect();
            let device = ReferenceDevice::new().with_chunk(4096).failing_after(jobs);
            let error = on(device, most, &mut flows).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
            let done: usize = flows.iter().map(Flow::done_bytes).sum();
            assert!(done > 0 || jobs == 0, "{mode:?} after {jobs} jobs");
            for (number, flow) in (0..).zip(flows) {
                let mut rest = request(mode, number);
                rest.iv = flow.iv();
                let (answer, span) = flow.into_rest();
                assert!(answer.is_none());
                Direct::new(&rest).unwrap().work(span).unwrap();
            }
            for (number, mut expected) in messages().into_iter().enumerate() {
                let mut direct = Direct::new(&request(mode, number as u8)).unwrap();
                direct.process(&mut expected).unwrap();
                assert!(
                    data[number] == expected,
                    "{mode:?} after {jobs} jobs, {number}"
                );
            }
        }
    }
}

#[test]
fn a_tag_that_does_not_match_stops_its_flow_alone() {
    let mut data = vec![vec![1; 64], vec![2; 64], vec![3; 64]];
    let mut flows: Vec<Flow> = (0..)
        .zip(&mut data)
        .map(|(number, data)| {
            let direction = match number {
                1 => Direction::Decrypt,
                _ => Direction::Encrypt,
            };
            let mut request = request((Mode::Gcm, direction), number);
            request.tag = (number == 1).then_some([0; 16]);
            Flow::new(request, Span::InPlace(data))
        })
        .collect();
    on(ReferenceDevice::new(), 1, &mut flows).unwrap();
    let done: Vec<_> = flows.iter().map(Flow::done_bytes).collect();
    assert_eq!(done, [64, 0, 64]);
    let answers = flows.into_iter().map(|flow| flow.into_rest().0);
    let tags: Vec<_> = answers
        .map(|answer| answer.is_some_and(|answer| answer.tag.is_some()))
        .collect();
    assert_eq!(tags, [true, false, true]);
    assert_eq!(data[1], [2; 64]);
}

/// A device with channels, whose jobs end when one is running in each of them.
#[derive(Clone)]
struct Channels {
    capabilities: Capabilities,
    /// Jobs that have begun.
    begun: Arc<AtomicUsize>,
    /// Queues that are open now, of which it has no more than channels.
    open: Arc<Mutex<usize>>,
}

impl Channels {
    fn new(channels: usize) -> Channels {
        let mut capabilities = ReferenceDevice::new().capabilities().clone();
        capabilities.channels = channels;
        Channels {
            capabilities,
            begun: Arc::default(),
            open: Arc::default(),
        }
    }
}

impl Device for Channels {
    fn name(&self) -> &str {
        "channels"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let channels = self.capabilities.channels;
        let mut open = self.open.lock().unwrap();
        if *open == channels {
            return Err(Error::device("all channels are taken"));
        }
        *open += 1;
        let begun = Arc::clone(&self.begun);
        let run = move |job: Job, _: &Cancellation| {
            let number = begun.fetch_add(1, Ordering::SeqCst);
            let since = Instant::now();
            while begun.load(Ordering::SeqCst) < number / channels * channels + channels {
                if since.elapsed() > Duration::from_secs(20) {
                    return Completion::failed(job.token, Error::device("it runs alone"));
                }
                std::thread::yield_now();
            }
            Completion {
                timing: Some(Timing {
                    total: Duration::ZERO,
                    transfer: Duration::ZERO,
                    processing: Duration::ZERO,
                    cycles: Some(100),
                    method: TimingMethod::Simulated,
                }),
                ..Completion::done(job.token, job.data)
            }
        };
        Ok(Box::new(SynchronousQueue::start(1, cancellation, run)))
    }
}

#[test]
fn channels_work_at_the_same_time_and_their_cycles_are_those_of_the_longest() {
    let device = Channels::new(3);
    let runtime = runtime();
    let opener = move || Ok(Arc::new(device.clone()) as Arc<dyn Device>);
    let mut data = vec![vec![0; 32]; 6];
    let mut flows: Vec<Flow> = (0..)
        .zip(&mut data)
        .map(|(number, data)| Flow::new(request(MODES[4], number), Span::InPlace(data)))
        .collect();
    // One more is asked for than there are.
    let leases = runtime.sessions(&opener, 4).unwrap();
    assert_eq!(leases.len(), 3);
    run(leases, flows.iter_mut().collect()).unwrap();
    assert!(flows.iter().all(|flow| flow.done_bytes() == 32));
    // Six jobs in three channels.
    assert_eq!(value(&runtime.account.counters.device_cycles), 200);
    // The queues are kept for the next pipeline.
    assert_eq!(runtime.idle(), 3);
}

/// A device that keeps the sizes of the batches that it is handed.
#[derive(Clone, Default)]
struct Batches(ReferenceDevice, Arc<Mutex<Vec<usize>>>);

struct BatchQueue(Box<dyn Queue>, Arc<Mutex<Vec<usize>>>);

impl Device for Batches {
    fn name(&self) -> &str {
        "batches"
    }

    fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let queue = self.0.open(cancellation)?;
        Ok(Box::new(BatchQueue(queue, Arc::clone(&self.1))))
    }
}

impl Queue for BatchQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        self.0.submit(job)
    }

    fn submit_all(&mut self, jobs: Vec<Job>) -> Result<()> {
        self.1.lock().unwrap().push(jobs.len());
        self.0.submit_all(jobs)
    }

    fn complete(&mut self) -> Option<Completion> {
        self.0.complete()
    }

    fn in_flight(&self) -> usize {
        self.0.in_flight()
    }
}

#[test]
fn one_queue_gets_a_chunk_of_every_flow_at_once() {
    let batches = Arc::default();
    let device = Batches(
        ReferenceDevice::new().with_chunk(65536),
        Arc::clone(&batches),
    );
    let mut data = [160, 160, 65_536 * 2, 65_552].map(|bytes| vec![0; bytes]);
    let mut flows: Vec<Flow> = (0..)
        .zip(&mut data)
        .map(|(number, data)| Flow::new(request(MODES[2], number), Span::InPlace(data)))
        .collect();
    on(device, 1, &mut flows).unwrap();
    assert_eq!(*batches.lock().unwrap(), [4, 2]);
}
