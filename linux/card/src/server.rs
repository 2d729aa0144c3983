// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Answers the kernel over vhost-user: a queue of accesses, and a queue of interrupts.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::thread;

use vhost::vhost_user::Backend as Requests;
use vhost::vhost_user::Error as VhostError;
use vhost::vhost_user::message::{VhostUserProtocolFeatures, VhostUserVirtioFeatures};
use vhost_user_backend::{
    Error as DaemonError, VhostUserBackendMut, VhostUserDaemon, VringRwLock, VringT,
};
use virtio_queue::{DescriptorChain, QueueT};
use vm_memory::{Bytes, GuestAddressSpace, GuestMemoryLoadGuard, GuestMemoryMmap};
use vmm_sys_util::epoll::EventSet;
use vmm_sys_util::event::{
    EventConsumer, EventFlag, EventNotifier, new_event_consumer_and_notifier,
};

use crate::bus::{Bus, Function, Memory};
use crate::configuration::ConfigurationSpace;
use crate::forward::forward;
use crate::message::Message;

const ACCESSES: u16 = 0;
const QUEUES: usize = 2;
/// Where the table of MSI-X is.
const TABLE_BAR: u8 = 2;
/// VIRTIO_F_VERSION_1.
const VERSION_1: u64 = 1 << 32;
/// No chain of the kernel has more to read.
const MOST_BYTES: usize = 1 << 17;

/// Serve one kernel at a socket until it ends: `virtio_uml.device=PATH:1234` on its command line.
///
/// # Errors
/// The socket cannot be made, or the kernel sent what is no vhost-user message.
pub fn serve(
    path: &Path,
    configuration: ConfigurationSpace,
    function: impl Function + 'static,
) -> io::Result<()> {
    let memory = Memory::new(GuestMemoryMmap::new());
    let bus = Bus::new(memory.clone(), configuration);
    let backend = Arc::new(RwLock::new(Backend {
        bus,
        function,
        requests: None,
    }));
    let mut daemon = VhostUserDaemon::new("card".to_owned(), backend, memory).map_err(failed)?;
    let listener = Socket::bind(path.to_owned())?;
    let (host, _) = listener.listener.accept()?;
    let mut inner = OsString::from(path);
    inner.push(".device");
    let inner = Socket::bind(inner.into())?;
    let name = (inner.path.to_str()).ok_or_else(|| io::Error::other("the path is no UTF-8"))?;
    daemon.start_client(name).map_err(failed)?;
    let (device, _) = inner.listener.accept()?;
    let forwarding = thread::spawn(move || forward(host, device));
    let ended = daemon.wait();
    for worker in daemon.get_epoll_handlers() {
        worker.send_exit_event();
    }
    let forwarded = forwarding.join();
    match ended {
        // The kernel was switched off.
        Ok(())
        | Err(DaemonError::HandleRequest(VhostError::Disconnected | VhostError::PartialMessage)) => {
            forwarded.unwrap_or_else(|_| Err(io::Error::other("the forwarding thread panicked")))
        }
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: DaemonError) -> io::Error {
    io::Error::other(error.to_string())
}

/// A socket that is removed in the end.
struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    fn bind(path: PathBuf) -> io::Result<Socket> {
        let listener = UnixListener::bind(&path)?;
        Ok(Socket { listener, path })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

struct Backend<F> {
    bus: Bus,
    function: F,
    /// The way for requests to the kernel. None is made, but the kernel removes a device that closes it.
    requests: Option<Requests>,
}

type Chain = DescriptorChain<GuestMemoryLoadGuard<GuestMemoryMmap>>;

impl<F: Function> Backend<F> {
    /// Answer an access; the number of bytes of the answer.
    fn access(&mut self, chain: Chain) -> u32 {
        let memory = chain.memory().clone();
        let (mut asked, mut place) = (Vec::new(), None);
        for part in chain {
            let bytes = part.len() as usize;
            if part.is_write_only() {
                place = Some((part.addr(), bytes));
            } else if asked.len() + bytes <= MOST_BYTES {
                let begin = asked.len();
                asked.resize(begin + bytes, 0);
                if memory.read_slice(&mut asked[begin..], part.addr()).is_err() {
                    return 0;
                }
            }
        }
        let answer = self.answer(&asked);
        let Some((address, room)) = place else {
            return 0;
        };
        let bytes = answer.len().min(room);
        match memory.write_slice(&answer[..bytes], address) {
            Ok(()) => bytes as u32,
            Err(_) => 0,
        }
    }

    fn answer(&mut self, asked: &[u8]) -> Vec<u8> {
        let mut answer = Vec::new();
        match Message::parse(asked) {
            Ok(Message::ReadConfiguration(offset, bytes)) => {
                answer.resize(bytes, 0);
                self.bus.configuration().read(offset, &mut answer);
            }
            Ok(Message::WriteConfiguration(offset, data)) => {
                self.bus.configuration().write(offset, data);
                self.bus.flush();
            }
            Ok(Message::ReadMemory(0, address, bytes)) => {
                answer.resize(bytes, 0);
                self.function.read(address, &mut answer);
            }
            Ok(Message::WriteMemory(0, address, data)) => {
                self.function.write(address, data, &self.bus);
            }
            Ok(Message::FillMemory(0, address, byte, bytes)) => {
                self.function.write(address, &vec![byte; bytes], &self.bus);
            }
            Ok(Message::ReadMemory(TABLE_BAR, address, bytes)) => {
                answer.resize(bytes, 0xff);
                let waiting = self.bus.waiting();
                if let Some(table) = self.bus.configuration().table() {
                    table.read(address, waiting, &mut answer);
                }
            }
            Ok(Message::WriteMemory(TABLE_BAR, address, data)) => {
                if let Some(table) = self.bus.configuration().table() {
                    table.write(address, data);
                }
                // A vector that is masked no longer has its interrupt now.
                self.bus.flush();
            }
            // There is no other BAR: as from an empty slot, ones come back.
            Ok(Message::ReadMemory(_, _, bytes)) => answer.resize(bytes, 0xff),
            Ok(_) => {}
            Err(error) => eprintln!("{error}"),
        }
        answer
    }
}

impl<F: Function> VhostUserBackendMut for Backend<F> {
    type Bitmap = ();
    type Vring = VringRwLock;

    fn num_queues(&self) -> usize {
        QUEUES
    }

    fn max_queue_size(&self) -> usize {
        256
    }

    fn features(&self) -> u64 {
        VERSION_1 | VhostUserVirtioFeatures::PROTOCOL_FEATURES.bits()
    }

    fn protocol_features(&self) -> VhostUserProtocolFeatures {
        // Without the backend's requests, the kernel (6.1) asks for its own timer's interrupt.
        VhostUserProtocolFeatures::REPLY_ACK
            | VhostUserProtocolFeatures::BACKEND_REQ
            | VhostUserProtocolFeatures::CONFIG
    }

    fn set_event_idx(&mut self, _: bool) {}

    fn set_backend_req_fd(&mut self, requests: Requests) {
        self.requests = Some(requests);
    }

    fn exit_event(&self, _: usize) -> Option<(EventConsumer, EventNotifier)> {
        new_event_consumer_and_notifier(EventFlag::NONBLOCK | EventFlag::CLOEXEC).ok()
    }

    fn update_memory(&mut self, _: Memory) -> io::Result<()> {
        // The table behind the same handle is new.
        Ok(())
    }

    fn handle_event(
        &mut self,
        queue: u16,
        _: EventSet,
        queues: &[VringRwLock],
        _: usize,
    ) -> io::Result<()> {
        self.bus.offer(&queues[1]);
        if queue != ACCESSES {
            return Ok(());
        }
        let accesses = &queues[usize::from(ACCESSES)];
        loop {
            let memory = self.bus.memory.memory();
            let next = accesses
                .get_mut()
                .get_queue_mut()
                .pop_descriptor_chain(memory);
            let Some(chain) = next else {
                return Ok(());
            };
            let head = chain.head_index();
            let bytes = self.access(chain);
            accesses.add_used(head, bytes).map_err(io::Error::other)?;
            accesses.signal_used_queue()?;
        }
    }
}
