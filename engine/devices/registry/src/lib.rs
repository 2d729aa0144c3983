// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every device by its name.
//!
//! | name | device |
//! |---|---|
//! | `cpu` | the best implementation on this processor |
//! | `software` | OpenSSL kept from the AES instructions |
//! | `software+` | OpenSSL with them |
//! | `opencl`, `opencl:NUMBER` | an OpenCL device; settings follow as `,kernel=tables` |
//! | `cuda`, `cuda:NUMBER` | a device of NVIDIA; settings as those of OpenCL |
//! | `model:NAME` | the simulated accelerator of a design, in this process; `,clock_mhz=50` sets its clock |
//! | `stream:DIRECTORY` | an accelerator behind device files: a board, or `ciphermill serve`; `,wait_seconds=60` waits for a free channel |
//! | `linux:`, `linux:CARD`, `linux:CARD-RING` | a card behind the Linux kernel driver: a free ring, one of a card, this one |
//!
//! Models are the files `NAME.so` of a folder: the one given, or that which the
//! environment variable `CIPHERMILL_MODELS` names. A model is code, and so a process with more
//! rights than its user has ([`is_privileged`]) ignores the variable. Such a process has
//! neither OpenCL nor CUDA devices: which drivers are loaded follows from the environment.

#![deny(unsafe_code)]

mod graphics;
mod loss;
#[allow(unsafe_code)]
mod privilege;

use std::env;
use std::ffi::{OsStr, OsString};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ciphermill::{Cancellation, Device, Error, Result};
#[cfg(not(miri))]
use ciphermill_cpu::{CpuDevice, OpenSslDevice};
use ciphermill_linux::LinuxDevice;
use ciphermill_model::{Accelerator, ModelDevice, ModelLibrary, Options};
use ciphermill_stream::{Description, Event, StreamDevice, Turn};

use graphics::{FAMILIES, Family};

pub use privilege::is_privileged;

/// Environment variable that names the folder of built models.
pub const MODELS_VARIABLE: &str = "CIPHERMILL_MODELS";

const MODEL_PREFIX: &str = "model:";
const STREAM_PREFIX: &str = "stream:";
const LINUX_PREFIX: &str = "linux:";

type Open = fn() -> Result<Arc<dyn Device>>;

/// The devices of this machine whose names stand alone. A new one is a row here.
#[cfg(not(miri))]
const DEVICES: &[(&str, Open)] = &[
    ("cpu", || Ok(Arc::new(CpuDevice::new()))),
    ("software", || {
        Ok(Arc::new(OpenSslDevice::without_aes_instructions()?))
    }),
    ("software+", || {
        Ok(Arc::new(OpenSslDevice::with_aes_instructions()?))
    }),
];

/// Miri runs no foreign code, which all of these devices need.
#[cfg(miri)]
const DEVICES: &[(&str, Open)] = &[
    ("cpu", not_in_miri),
    ("software", not_in_miri),
    ("software+", not_in_miri),
];

#[cfg(miri)]
fn not_in_miri() -> Result<Arc<dyn Device>> {
    Err(Error::unsupported("Miri has no such device"))
}

fn on_this_machine(name: &str) -> Option<Open> {
    let row = DEVICES.iter().find(|(device, _)| *device == name);
    row.map(|(_, open)| *open)
}

/// Check that a name is well-formed and that its kind of device exists. Opens nothing.
///
/// Fails as [`open`] does for a name that no device has.
///
/// ```
/// assert!(ciphermill_devices::check_name("stream:/nowhere", None).is_ok());
/// assert!(ciphermill_devices::check_name("stream:/nowhere,wait_seconds=60", None).is_ok());
/// assert!(ciphermill_devices::check_name("stream:/nowhere,wait_seconds=soon", None).is_err());
/// assert!(ciphermill_devices::check_name("abacus", None).is_err());
/// ```
pub fn check_name(name: &str, models: Option<&Path>) -> Result<()> {
    if let Some(model) = name.strip_prefix(MODEL_PREFIX) {
        return design_and_options(model).map(|_| ());
    }
    if let Some(place) = name.strip_prefix(LINUX_PREFIX) {
        return LinuxDevice::check_place(place);
    }
    if let Some(place) = name.strip_prefix(STREAM_PREFIX) {
        return Turn::of(place).map(|_| ());
    }
    if Family::of(name).is_some() || on_this_machine(name).is_some() {
        return Ok(());
    }
    let mut names = processor_devices();
    names.extend(FAMILIES.iter().map(|family| family.name.to_owned()));
    names.extend(built_models(models));
    Err(Error::invalid(format!(
        "no device is called {name:?}; there are {}, linux: and stream:DIRECTORY",
        names.join(", ")
    )))
}

/// Open the device of this name. `models` is the folder of built models.
///
/// Fails with [`ciphermill::ErrorKind::Invalid`] for a name that no device has (the
/// message lists those that exist), with another kind when the device cannot be opened.
///
/// ```
/// let device = ciphermill_devices::open("cpu", None).unwrap();
/// assert_eq!(device.name(), "cpu");
/// assert!(ciphermill_devices::open("abacus", None).is_err());
/// ```
pub fn open(name: &str, models: Option<&Path>) -> Result<Arc<dyn Device>> {
    if let Some(open) = on_this_machine(name) {
        return open();
    }
    if let Some((family, rest)) = Family::of(name) {
        return family.open(rest);
    }
    check_name(name, models)?;
    if let Some(model) = name.strip_prefix(MODEL_PREFIX) {
        let (design, options) = design_and_options(model)?;
        return ciphermill_model::open(design, options, &models_folder(models)?);
    }
    if let Some(place) = name.strip_prefix(LINUX_PREFIX) {
        return Ok(Arc::new(LinuxDevice::new(place)?));
    }
    let place = name.strip_prefix(STREAM_PREFIX).unwrap_or(name);
    Ok(Arc::new(StreamDevice::at(place)?))
}

/// The names of the devices on this machine; `models` is the folder of built models. Any of them
/// may still fail to open, and `stream:DIRECTORY` can be any directory with device files. It loads
/// the drivers of graphics processors.
pub fn list(models: Option<&Path>) -> Vec<String> {
    let mut names = processor_devices();
    names.extend(graphics_processors());
    names.extend(kernel_drivers());
    names.extend(built_models(models));
    names
}

/// `linux:` where the kernel driver has files on this machine.
pub fn kernel_drivers() -> Vec<String> {
    let is_present = ciphermill_linux::is_present();
    is_present
        .then(|| LINUX_PREFIX.to_owned())
        .into_iter()
        .collect()
}

/// The names of the graphics processors, and of what else their drivers offer. It loads these
/// drivers; a program with more rights than its user has gets none.
pub fn graphics_processors() -> Vec<String> {
    FAMILIES.iter().flat_map(Family::names).collect()
}

fn processor_devices() -> Vec<String> {
    DEVICES.iter().map(|(name, _)| (*name).to_owned()).collect()
}

fn built_models(models: Option<&Path>) -> Vec<String> {
    let entries = models_folder(models).and_then(|folder| {
        let entries = folder.read_dir();
        entries.map_err(|error| Error::io("reading the folder of models", error))
    });
    let names = entries.into_iter().flatten();
    let mut names: Vec<_> = names
        .filter_map(|entry| model_name(&entry.ok()?.path()))
        .collect();
    names.sort();
    names
}

/// Serve a design's model, of which `design` is the name with its settings, as device files in
/// `directory` until `stop` is set: what `stream:DIRECTORY` opens, in this process or another. Its
/// channels are served side by side.
///
/// `on_event` is told when the files are there, and what else a user may want to
/// know. See [`ciphermill_stream::serve`] for what happens to the files.
pub fn serve(
    design: &str,
    models: Option<&Path>,
    directory: &Path,
    stop: &Cancellation,
    on_event: &mut dyn FnMut(Event),
) -> Result<()> {
    let model = design.strip_prefix(MODEL_PREFIX).unwrap_or(design);
    let (design, options) = design_and_options(model)?;
    let device = ModelDevice::new(design, options, &models_folder(models)?)?;
    if !device.has_channels_alike() {
        return Err(Error::unsupported(format!(
            "the channels of {0} have different algorithms: serve a design of one algorithm, \
             or use the device {1}",
            device.library().description().design,
            device.name()
        )));
    }
    let library: &Arc<ModelLibrary> = device.library();
    let about = library.description();
    let description = Description::simulated(&about.design, device.clock_mhz());
    let accelerator = Accelerator::open(library)?;
    let channels = iter::from_fn(|| accelerator.take_channel()).collect();
    ciphermill_stream::serve(channels, &description, directory, stop, on_event)
}

fn models_folder(given: Option<&Path>) -> Result<PathBuf> {
    choose_folder(given, || env::var_os(MODELS_VARIABLE), is_privileged())
}

fn choose_folder(
    given: Option<&Path>,
    named: impl FnOnce() -> Option<OsString>,
    privileged: bool,
) -> Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    if privileged {
        return Err(Error::invalid(format!(
            "where are the models? This program runs with more rights than its user has and \
             must name their folder itself: {MODELS_VARIABLE} is not read"
        )));
    }
    named().map(PathBuf::from).ok_or_else(|| {
        Error::invalid(format!(
            "where are the models? Name their folder, or set {MODELS_VARIABLE} to it"
        ))
    })
}

/// The parts of `aes-iterative,clock_mhz=50`.
fn design_and_options(model: &str) -> Result<(&str, Options)> {
    let (design, settings) = model.split_once(',').unwrap_or((model, ""));
    check_design_name(design)?;
    Ok((design, settings.parse()?))
}

/// A design's name becomes a file name: nothing in it may lead out of the folder.
fn check_design_name(design: &str) -> Result<()> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".+_-".contains(&byte);
    if design.is_empty() || design.starts_with('.') || !design.bytes().all(fits) {
        return Err(Error::invalid(format!(
            "{design:?} is not a design's name: letters, digits, '.', '+', '_' and '-'"
        )));
    }
    Ok(())
}

fn model_name(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let is_model = path.extension() == Some(OsStr::new("so")) && check_design_name(stem).is_ok();
    is_model.then(|| format!("{MODEL_PREFIX}{stem}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermill::ErrorKind;

    fn refusal(name: &str, models: Option<&Path>) -> Error {
        match open(name, models) {
            Ok(_) => panic!("{name} opened"),
            Err(error) => error,
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_exist() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("aes-tiny.so"), b"").unwrap();
        std::fs::write(folder.path().join("notes.txt"), b"").unwrap();
        let error = refusal("gpu", Some(folder.path()));
        assert_eq!(error.kind(), ErrorKind::Invalid);
        let text = error.to_string();
        assert!(
            text.contains("cpu, software, software+, cuda, opencl, model:aes-tiny, linux: and"),
            "{text}"
        );
    }

    #[test]
    fn the_environment_chooses_no_models_in_a_program_with_more_rights() {
        let named = || Some(OsString::from("/home/mallory"));
        let chosen = choose_folder(None, named, false).unwrap();
        assert_eq!(chosen, Path::new("/home/mallory"));
        let error = choose_folder(None, named, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("more rights"), "{error}");
        // A folder that the program itself names is taken.
        let own = choose_folder(Some(Path::new("/opt/models")), named, true).unwrap();
        assert_eq!(own, Path::new("/opt/models"));
    }

    #[test]
    fn a_model_that_is_not_built_says_how_to_build_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = refusal("model:aes-tiny", Some(folder.path()));
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(
            error.to_string().contains("ciphermill build aes-tiny"),
            "{error}"
        );
    }

    #[test]
    fn work_of_a_lost_device_goes_on_with_devices_of_the_processor() {
        let error = refusal("opencl:0,on_loss=abacus", None);
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("abacus"), "{error}");
        let error = refusal("opencl:0,on_loss=cpu,on_loss=software", None);
        assert!(error.to_string().contains("given twice"), "{error}");
        let error = refusal("opencl:0,speed=11", None);
        assert!(error.to_string().contains("on_loss=DEVICE"), "{error}");
        match open("opencl:0,kernel=tables,on_loss=cpu", None) {
            Ok(device) => assert_eq!(device.name(), "opencl:0,kernel=tables,on_loss=cpu"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Device, "{error}"),
        }
    }

    #[test]
    fn a_file_that_is_no_model_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("aes-tiny.so"), b"no library").unwrap();
        let error = refusal("model:aes-tiny", Some(folder.path()));
        assert!(error.to_string().contains("is not a model"), "{error}");
        assert!(
            error.to_string().contains("ciphermill build aes-tiny"),
            "{error}"
        );
    }

    #[test]
    fn a_model_name_does_not_lead_out_of_the_folder() {
        for name in [
            "model:../evil",
            "model:/tmp/evil",
            "model:",
            "model:.hidden",
        ] {
            let error = refusal(name, Some(Path::new("/nowhere")));
            assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        }
    }

    #[test]
    fn a_setting_that_a_model_lacks_is_refused_before_the_model_is_looked_for() {
        for name in ["model:aes-tiny,speed=3", "model:aes-tiny,clock_mhz=0"] {
            assert_eq!(
                check_name(name, None).unwrap_err().kind(),
                ErrorKind::Invalid
            );
            let error = refusal(name, Some(Path::new("/nowhere")));
            assert!(error.to_string().contains("clock_mhz"), "{error}");
        }
        assert!(check_name("model:aes-tiny,clock_mhz=33.3", None).is_ok());
    }

    #[test]
    fn a_machine_without_the_kernel_driver_says_what_is_missing() {
        if ciphermill_linux::is_present() {
            println!("skipped: the driver is here");
            return;
        }
        assert!(kernel_drivers().is_empty());
        let error = refusal("linux:", None);
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("modprobe ciphermill"), "{error}");
        assert_eq!(refusal("linux:x", None).kind(), ErrorKind::Invalid);
        assert!(check_name("linux:0-3", None).is_ok());
    }

    #[test]
    fn a_directory_without_device_files_says_how_to_have_them() {
        let folder = tempfile::tempdir().unwrap();
        let error = refusal(&format!("stream:{}", folder.path().display()), None);
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("ciphermill serve"), "{error}");
    }
}
