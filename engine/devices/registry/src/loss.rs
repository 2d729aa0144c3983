// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A device whose work goes on elsewhere when it is lost in mid-run: `opencl,on_loss=software`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ciphermill::{
    Allocator, Buffer, Cancellation, Capabilities, CipherRequest, Completion, Device, DeviceMemory,
    Error, ErrorKind, Job, Queue, Request, Result, Timing,
};

/// Told once, when the device is lost.
type Warn = fn(&str);

/// A device and another one that takes its work over.
pub(crate) struct Replaceable {
    name: String,
    first: Arc<dyn Device>,
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    spare: Arc<dyn Device>,
    is_lost: AtomicBool,
    warn: Warn,
}

impl Replaceable {
    pub(crate) fn new(first: Arc<dyn Device>, spare: Arc<dyn Device>, warn: Warn) -> Replaceable {
        Replaceable {
            name: format!("{},on_loss={}", first.name(), spare.name()),
            shared: Arc::new(Shared {
                name: first.name().to_owned(),
                spare,
                is_lost: AtomicBool::new(false),
                warn,
            }),
            first,
        }
    }
}

impl Shared {
    /// Say that the device is lost, once.
    fn lose(&self, error: &Error) {
        if !self.is_lost.swap(true, Ordering::AcqRel) {
            let (name, spare) = (&self.name, self.spare.name());
            (self.warn)(&format!("{name} is lost ({error}): going on with {spare}"));
        }
    }
}

impl Device for Replaceable {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        self.first.capabilities()
    }

    fn allocator(&self) -> Allocator {
        match self.shared.is_lost.load(Ordering::Acquire) {
            true => self.shared.spare.allocator(),
            false => self.first.allocator(),
        }
    }

    /// Of the first device alone: nobody else reaches its memory.
    #[allow(unsafe_code)]
    unsafe fn run_in_memory(
        &self,
        request: &CipherRequest,
        data: DeviceMemory,
        cancellation: &Cancellation,
    ) -> Result<(Option<[u8; 16]>, Timing)> {
        // SAFETY: this function's contract.
        unsafe { self.first.run_in_memory(request, data, cancellation) }
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let mut queue = ReplaceableQueue {
            first: None,
            spare: None,
            places: VecDeque::new(),
            shared: Arc::clone(&self.shared),
            cancellation: cancellation.clone(),
        };
        if !self.shared.is_lost.load(Ordering::Acquire) {
            match self.first.open(cancellation) {
                Ok(first) => queue.first = Some(first),
                Err(error) if error.kind() == ErrorKind::Device => self.shared.lose(&error),
                Err(error) => return Err(error),
            }
        }
        Ok(Box::new(queue))
    }
}

/// Where a job without a completion is.
enum Place {
    /// On the first device, which works in the data's place: a copy of them is kept.
    First(u64, Request, Buffer),
    /// On the other device.
    Spare(u64),
    Done(Box<Completion>),
}

struct ReplaceableQueue {
    /// None once the device is lost.
    first: Option<Box<dyn Queue>>,
    spare: Option<Box<dyn Queue>>,
    /// The jobs, the oldest first.
    places: VecDeque<Place>,
    shared: Arc<Shared>,
    cancellation: Cancellation,
}

impl ReplaceableQueue {
    /// The device is lost: its jobs go to the other one, but for those that it had done.
    fn lose(&mut self, error: &Error) {
        self.shared.lose(error);
        let Some(mut first) = self.first.take() else {
            return;
        };
        for place in std::mem::take(&mut self.places) {
            let place = match place {
                Place::First(token, request, data) => match first.complete() {
                    Some(completion) if !is_lost(&completion) => Place::Done(Box::new(completion)),
                    _ => self.moved(Job {
                        token,
                        request,
                        data,
                    }),
                },
                place => place,
            };
            self.places.push_back(place);
        }
    }

    /// Where a job of the first device is now: on the other one, or failed where that refuses it.
    fn moved(&mut self, job: Job) -> Place {
        let token = job.token;
        match self.hand_over(job) {
            Ok(()) => Place::Spare(token),
            Err(error) => Place::Done(Box::new(Completion::failed(token, error))),
        }
    }

    /// The completion of the job at this place, which is not on the first device.
    fn completion(&mut self, place: Place) -> Completion {
        match place {
            Place::Done(completion) => *completion,
            Place::Spare(token) | Place::First(token, ..) => {
                let spare = self.spare.as_mut();
                let completion = spare.and_then(|spare| spare.complete());
                completion.unwrap_or_else(|| Completion::failed(token, ended()))
            }
        }
    }

    fn hand_over(&mut self, job: Job) -> Result<()> {
        if self.spare.is_none() {
            self.spare = Some(self.shared.spare.open(self.cancellation.clone())?);
        }
        match &mut self.spare {
            Some(spare) => spare.submit(job),
            None => Ok(()),
        }
    }
}

fn ended() -> Error {
    Error::device("its queue ended")
}

fn is_lost(completion: &Completion) -> bool {
    let error = completion.result.as_ref().err();
    error.is_some_and(|error| error.kind() == ErrorKind::Device)
}

impl Queue for ReplaceableQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        let Some(first) = &mut self.first else {
            let token = job.token;
            self.hand_over(job)?;
            self.places.push_back(Place::Spare(token));
            return Ok(());
        };
        let kept = Place::First(job.token, job.request.clone(), job.data.clone());
        let submitted = first.submit(job);
        self.places.push_back(kept);
        match submitted {
            Err(error) if error.kind() == ErrorKind::Device => self.lose(&error),
            Err(error) => {
                self.places.pop_back();
                return Err(error);
            }
            Ok(()) => {}
        }
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        match self.places.pop_front()? {
            Place::First(token, request, data) => {
                let first = self.first.as_mut();
                let completion = first.and_then(|first| first.complete());
                let error = match completion {
                    Some(completion) if !is_lost(&completion) => return Some(completion),
                    Some(Completion {
                        result: Err(error), ..
                    }) => error,
                    _ => ended(),
                };
                let job = Job {
                    token,
                    request,
                    data,
                };
                // This job first: the other device's completions come in their order.
                let place = self.moved(job);
                self.lose(&error);
                Some(self.completion(place))
            }
            place => Some(self.completion(place)),
        }
    }

    fn in_flight(&self) -> usize {
        self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use ciphermill::testing::ReferenceDevice;
    use ciphermill::{Direction, Key, Mode};

    use super::*;

    fn request(token: u64) -> CipherRequest {
        let key = Key::new(&[token as u8; 16]).unwrap();
        CipherRequest::new(Mode::Cbc, Direction::Encrypt, key, [7; 16])
    }

    /// Six jobs on a device that is lost after so many: outputs, warnings, and what the other
    /// device did.
    fn run(device: ReferenceDevice, warn: Warn, spare: ReferenceDevice) -> Vec<Result<Buffer>> {
        let device = Replaceable::new(Arc::new(device), Arc::new(spare), warn);
        assert_eq!(device.name(), "reference,on_loss=reference");
        let mut queue = device.open(Cancellation::new()).unwrap();
        let mut outputs = Vec::new();
        for token in 0..6 {
            let data = vec![token as u8; 64].into();
            let request = request(token).into();
            queue
                .submit(Job {
                    token,
                    request,
                    data,
                })
                .unwrap();
        }
        assert_eq!(queue.in_flight(), 6);
        while let Some(completion) = queue.complete() {
            assert_eq!(completion.token, outputs.len() as u64);
            outputs.push(completion.result);
        }
        outputs
    }

    fn expected() -> Vec<Buffer> {
        let outputs = run(ReferenceDevice::new(), |_| panic!(), ReferenceDevice::new());
        outputs.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn work_goes_on_elsewhere_with_one_warning() {
        static WARNINGS: AtomicUsize = AtomicUsize::new(0);
        let warn = |text: &str| {
            assert!(text.contains("vanished") && text.contains("going on with reference"));
            WARNINGS.fetch_add(1, Ordering::Relaxed);
        };
        let expected = expected();
        for lost_after in [0, 1, 3, 5] {
            let first = ReferenceDevice::new().failing_after(lost_after);
            let outputs = run(first, warn, ReferenceDevice::new());
            for (ours, plain) in outputs.into_iter().zip(&expected) {
                assert_eq!(ours.unwrap(), **plain);
            }
        }
        assert_eq!(WARNINGS.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn what_was_done_is_not_done_again() {
        // The other device refuses a fourth job: it is given three.
        let first = ReferenceDevice::new().failing_after(3);
        let outputs = run(first, |_| {}, ReferenceDevice::new().failing_after(3));
        assert!(outputs.iter().all(Result::is_ok));
        let first = ReferenceDevice::new().failing_after(3);
        let outputs = run(first, |_| {}, ReferenceDevice::new().failing_after(2));
        let error = outputs.last().unwrap().as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
    }

    /// A device that takes so many jobs of a queue, or opens none.
    struct Refusing(Option<usize>, ReferenceDevice);

    struct RefusingQueue(usize, Box<dyn Queue>);

    impl Device for Refusing {
        fn name(&self) -> &str {
            "refusing"
        }

        fn capabilities(&self) -> &Capabilities {
            self.1.capabilities()
        }

        fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
            let jobs = self.0.ok_or_else(|| Error::unsupported("it opens none"))?;
            Ok(Box::new(RefusingQueue(jobs, self.1.open(cancellation)?)))
        }
    }

    impl Queue for RefusingQueue {
        fn submit(&mut self, job: Job) -> Result<()> {
            let left = self.0.checked_sub(1);
            self.0 = left.ok_or_else(|| Error::unsupported("it takes no more"))?;
            self.1.submit(job)
        }

        fn complete(&mut self) -> Option<Completion> {
            self.1.complete()
        }

        fn in_flight(&self) -> usize {
            self.1.in_flight()
        }
    }

    #[test]
    fn each_job_has_its_completion_where_the_other_device_refuses_some() {
        for (taken, good) in [(None, 2), (Some(0), 2), (Some(1), 3), (Some(3), 5)] {
            let first = ReferenceDevice::new().failing_after(2);
            let spare = Refusing(taken, ReferenceDevice::new());
            let device = Replaceable::new(Arc::new(first), Arc::new(spare), |_| {});
            let mut queue = device.open(Cancellation::new()).unwrap();
            for token in 0..6 {
                let data = vec![token as u8; 64].into();
                let request = request(token).into();
                queue
                    .submit(Job {
                        token,
                        request,
                        data,
                    })
                    .unwrap();
            }
            for token in 0..6 {
                assert_eq!(queue.in_flight(), 6 - token as usize);
                let completion = queue.complete().unwrap();
                assert_eq!(completion.token, token);
                assert_eq!(completion.result.is_ok(), token < good, "{taken:?} {token}");
            }
            assert!(queue.complete().is_none());
        }
    }

    #[test]
    fn other_errors_stay_with_their_job() {
        let first = ReferenceDevice::new();
        let device = Replaceable::new(Arc::new(first), Arc::new(ReferenceDevice::new()), |_| {
            panic!("nothing is lost")
        });
        let mut queue = device.open(Cancellation::new()).unwrap();
        let (request, data) = (request(1).into(), vec![0; 17].into());
        queue
            .submit(Job {
                token: 1,
                request,
                data,
            })
            .unwrap();
        let error = queue.complete().unwrap().result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}
