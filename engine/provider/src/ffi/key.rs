// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keys of elliptic curves as OpenSSL manages them (provider-keymgmt(7), EVP_PKEY-EC(7)).

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::abi::{
    Algorithm, Dispatch, OCTET_STRING, OPERATION_EXCHANGE, OPERATION_SIGNATURE, Parameter, Receive,
    UNSIGNED_INTEGER, UTF8_STRING, dispatch,
};
use super::context::{
    self, ContextTable, Free, New, OnContext, Table, create, done, free, give_all, look, on,
    referred,
};
use super::parameters::{END, Entry, List, filled, tables};
use crate::curve_key::{Curve, CurveKey, Selection};
use crate::failure::{Outcome, Reason};
use crate::provider::{Provider, State};

type Begin = unsafe extern "C" fn(*mut c_void, c_int, *const Parameter) -> *mut c_void;
type Template = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

type Generate = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> *mut c_void;
type OperationName = extern "C" fn(c_int) -> *const c_char;
type Has = unsafe extern "C" fn(*const c_void, c_int) -> c_int;
type Validate = unsafe extern "C" fn(*const c_void, c_int, c_int) -> c_int;
type Match = unsafe extern "C" fn(*const c_void, *const c_void, c_int) -> c_int;
type Import = unsafe extern "C" fn(*mut c_void, c_int, *mut Parameter) -> c_int;
type Types = extern "C" fn(c_int) -> *const Parameter;
type Export = unsafe extern "C" fn(*const c_void, c_int, Receive, *mut c_void) -> c_int;
type Duplicate = unsafe extern "C" fn(*const c_void, c_int) -> *mut c_void;

tables! {
    gettable(*mut c_void): [
        c"bits" INTEGER size_of::<c_int>();
        c"security-bits" INTEGER size_of::<c_int>();
        c"max-size" INTEGER size_of::<c_int>();
        c"default-digest" UTF8_STRING 0;
        c"group" UTF8_STRING 0;
        c"encoding" UTF8_STRING 0;
        c"point-format" UTF8_STRING 0;
        c"encoded-pub-key" OCTET_STRING 0;
        c"pub" OCTET_STRING 0;
        c"qx" UNSIGNED_INTEGER 0;
        c"qy" UNSIGNED_INTEGER 0;
        c"priv" UNSIGNED_INTEGER 0;
    ];
    settable(*mut c_void): [
        c"encoded-pub-key" OCTET_STRING 0;
    ];
    generation_settable(*mut c_void, *mut c_void): [
        c"group" UTF8_STRING 0;
        c"encoding" UTF8_STRING 0;
    ];
    parts(c_int): [
        c"group" UTF8_STRING 0;
        c"pub" OCTET_STRING 0;
        c"priv" UNSIGNED_INTEGER 0;
    ];
}

static EC: [Dispatch; 22] = dispatch! {
    KEYMGMT_NEW 1: New = new,
    KEYMGMT_GEN_INIT 2: Begin = begin_generation,
    KEYMGMT_GEN_SET_TEMPLATE 3: Template = set_template,
    KEYMGMT_GEN_SET_PARAMS 4: OnContext = set_generation,
    KEYMGMT_GEN_SETTABLE_PARAMS 5: ContextTable = generation_settable,
    KEYMGMT_GEN 6: Generate = generate,
    KEYMGMT_GEN_CLEANUP 7: Free = free::<Generation>,
    KEYMGMT_FREE 10: Free = free::<CurveKey>,
    KEYMGMT_GET_PARAMS 11: OnContext = get,
    KEYMGMT_GETTABLE_PARAMS 12: Table = gettable,
    KEYMGMT_SET_PARAMS 13: OnContext = set,
    KEYMGMT_SETTABLE_PARAMS 14: Table = settable,
    KEYMGMT_QUERY_OPERATION_NAME 20: OperationName = operation_name,
    KEYMGMT_HAS 21: Has = has,
    KEYMGMT_VALIDATE 22: Validate = validate,
    KEYMGMT_MATCH 23: Match = matches,
    KEYMGMT_IMPORT 40: Import = import,
    KEYMGMT_IMPORT_TYPES 41: Types = parts,
    KEYMGMT_EXPORT 42: Export = export,
    KEYMGMT_EXPORT_TYPES 43: Types = parts,
    KEYMGMT_DUP 44: Duplicate = duplicate,
};

/// The algorithms offered.
pub(super) static KEYS: [Algorithm; 2] = [
    Algorithm::new(c"EC:id-ecPublicKey:1.2.840.10045.2.1", &EC),
    Algorithm::END,
];

/// A key to be generated.
struct Generation {
    provider: Arc<Provider>,
    curve: Option<&'static Curve>,
    selection: Selection,
}

impl State for CurveKey {
    fn duplicate(&self) -> Outcome<CurveKey> {
        Ok(self.clone())
    }

    fn spoil(&mut self) {
        self.clear();
    }
}

impl State for Generation {
    fn duplicate(&self) -> Outcome<Generation> {
        let provider = Arc::clone(&self.provider);
        Ok(Generation { provider, ..*self })
    }

    fn spoil(&mut self) {
        self.curve = None;
    }
}

impl Generation {
    fn take(&mut self, list: List<'_>) -> Outcome<()> {
        for entry in list {
            let text = entry.text().unwrap_or_default();
            match entry.name() {
                b"group" => self.curve = Some(Curve::find(text)?),
                b"encoding" if text != "named_curve" => {
                    let message = "keys are of named curves here: fetch EC with provider=default \
                                   for explicit parameters";
                    return Reason::InvalidCurve.fail(message);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Give out a parameter of a key.
fn give(key: &CurveKey, entry: &mut Entry<'_>) -> Outcome<bool> {
    let Some(curve) = key.curve else {
        return Ok(true);
    };
    Ok(match entry.name() {
        b"bits" => entry.set_unsigned(curve.algorithm.key_bits[0] as u64),
        b"security-bits" => entry.set_unsigned(curve.security_bits),
        b"max-size" => entry.set_unsigned(curve.signature_bytes as u64),
        b"default-digest" => entry.set_text(c"SHA256"),
        b"group" => entry.set_text(curve.name),
        b"encoding" => entry.set_text(c"named_curve"),
        b"point-format" => entry.set_text(c"uncompressed"),
        b"encoded-pub-key" | b"pub" => entry.set_octets(&key.point()?),
        b"qx" => entry.set_integer(&key.public()?.to_bytes()?[..curve.bytes()]),
        b"qy" => entry.set_integer(&key.public()?.to_bytes()?[curve.bytes()..]),
        b"priv" => entry.set_integer(&key.private()?.to_bytes()?),
        _ => true,
    })
}

/// Take the parts of a key.
fn take(key: &mut CurveKey, list: List<'_>, selection: Selection) -> Outcome<()> {
    let (mut private, mut public) = (None, None);
    for entry in list {
        match entry.name() {
            b"group" => key.curve = Some(Curve::find(entry.text().unwrap_or_default())?),
            b"pub" if selection.public() => public = entry.octets(0),
            b"priv" if selection.private() => private = entry.integer(),
            _ => {}
        }
    }
    key.curve()?;
    if let Some(point) = public {
        key.set_public(point)?;
    }
    if let Some(integer) = private {
        key.set_private(&integer)?;
        key.derive_public()?;
    }
    Ok(())
}

/// # Safety
/// The provider's context is ours.
unsafe extern "C" fn new(provider: *mut c_void) -> *mut c_void {
    // SAFETY: this function's contract.
    unsafe { create(provider, |provider| Ok(CurveKey::empty(&provider))) }
}

/// # Safety
/// The provider's context is ours and the list is one.
unsafe extern "C" fn begin_generation(
    provider: *mut c_void,
    selection: c_int,
    list: *const Parameter,
) -> *mut c_void {
    let begin = |provider| {
        let selection = Selection(selection);
        let mut generation = Generation {
            provider,
            curve: None,
            selection,
        };
        // SAFETY: this function's contract; parameters that come in are not written to.
        generation.take(unsafe { List::new(list.cast_mut()) })?;
        Ok(generation)
    };
    // SAFETY: this function's contract.
    unsafe { create(provider, begin) }
}

/// # Safety
/// The context is ours and in nobody else's use; the key is ours.
unsafe extern "C" fn set_template(context: *mut c_void, template: *mut c_void) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |generation: &mut Generation| {
            generation.curve = referred::<CurveKey>(template).and_then(|key| key.curve);
            Ok(())
        })
    }
}

/// # Safety
/// The context is ours and in nobody else's use; the list is one.
unsafe extern "C" fn set_generation(context: *mut c_void, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |generation: &mut Generation| {
            generation.take(List::new(list))
        })
    }
}

/// # Safety
/// The context is ours and in nobody else's use.
unsafe extern "C" fn generate(context: *mut c_void, _: *mut c_void, _: *mut c_void) -> *mut c_void {
    let make = |generation: &mut Generation| {
        let mut key = CurveKey::empty(&generation.provider);
        key.curve = generation.curve;
        key.curve()?;
        if generation.selection.private() || generation.selection.public() {
            key.generate(&generation.provider)?;
        }
        Ok(key)
    };
    // SAFETY: this function's contract.
    unsafe { context::another::<Generation, _>(context, on(context, make)) }
}

/// # Safety
/// The key is ours, and nobody changes it meanwhile; the list is one.
unsafe extern "C" fn get(key: *mut c_void, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract.
    let given = unsafe {
        look(key, |key: &CurveKey| {
            give_all(List::new(list), |entry| give(key, entry))
        })
    };
    c_int::from(given.is_some())
}

/// # Safety
/// The key is ours and in nobody else's use; the list is one.
unsafe extern "C" fn set(key: *mut c_void, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(key, |key: &mut CurveKey| {
            for entry in List::new(list) {
                if entry.name() == b"encoded-pub-key" {
                    key.set_public(entry.octets(0).unwrap_or_default())?;
                }
            }
            Ok(())
        })
    }
}

extern "C" fn operation_name(operation: c_int) -> *const c_char {
    match operation {
        OPERATION_SIGNATURE => c"ECDSA".as_ptr(),
        OPERATION_EXCHANGE => c"ECDH".as_ptr(),
        _ => ptr::null(),
    }
}

/// # Safety
/// The key is ours or null, and nobody changes it meanwhile.
unsafe extern "C" fn has(key: *const c_void, selection: c_int) -> c_int {
    // SAFETY: this function's contract.
    let key = unsafe { referred::<CurveKey>(key) };
    c_int::from(key.is_some_and(|key| key.has(Selection(selection))))
}

/// # Safety
/// The key is ours, and nobody changes it meanwhile.
unsafe extern "C" fn validate(key: *const c_void, selection: c_int, _: c_int) -> c_int {
    // SAFETY: this function's contract.
    let valid = unsafe { look(key, |key: &CurveKey| key.is_valid(Selection(selection))) };
    c_int::from(valid == Some(true))
}

/// # Safety
/// The keys are ours, and nobody changes them meanwhile.
unsafe extern "C" fn matches(one: *const c_void, other: *const c_void, selection: c_int) -> c_int {
    // SAFETY: this function's contract.
    let same = unsafe {
        let other = referred::<CurveKey>(other);
        look(one, |one: &CurveKey| match other {
            Some(other) => one.matches(other, Selection(selection)),
            None => Ok(false),
        })
    };
    c_int::from(same == Some(true))
}

/// # Safety
/// The key is ours and in nobody else's use; the list is one.
unsafe extern "C" fn import(key: *mut c_void, selection: c_int, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(key, |key: &mut CurveKey| {
            take(key, List::new(list), Selection(selection))
        })
    }
}

/// # Safety
/// The key is ours, and nobody changes it meanwhile; the function takes parameters with this
/// argument.
unsafe extern "C" fn export(
    key: *const c_void,
    selection: c_int,
    receive: Receive,
    argument: *mut c_void,
) -> c_int {
    let give = |key: &CurveKey| {
        let (curve, part) = (key.curve()?, key.part(Selection(selection)));
        let name = curve.name.to_bytes();
        let point = part.public.as_ref().map(|_| part.point()).transpose()?;
        let private = part.private.as_ref().map(|private| private.to_bytes());
        let private = private.transpose()?.map(|bytes| {
            let mut native = Zeroizing::new(bytes.to_vec());
            if cfg!(target_endian = "little") {
                native.reverse();
            }
            native
        });
        let mut list = Vec::with_capacity(4);
        list.push(filled(c"group", UTF8_STRING, name.as_ptr(), name.len()));
        list.extend(
            point
                .as_ref()
                .map(|point| filled(c"pub", OCTET_STRING, point.as_ptr(), point.len())),
        );
        let private = private.as_ref();
        list.extend(
            private.map(|native| filled(c"priv", UNSIGNED_INTEGER, native.as_ptr(), native.len())),
        );
        list.push(END);
        // SAFETY: this function's contract; the list and what it leads to live until it returns.
        Ok(unsafe { receive(list.as_ptr(), argument) })
    };
    // SAFETY: this function's contract.
    unsafe { look(key, give) }.unwrap_or(0)
}

/// # Safety
/// The key is ours, and nobody changes it meanwhile.
unsafe extern "C" fn duplicate(key: *const c_void, selection: c_int) -> *mut c_void {
    // SAFETY: this function's contract.
    unsafe {
        let part = look(key, |key: &CurveKey| Ok(key.part(Selection(selection))));
        context::another::<CurveKey, _>(key, part)
    }
}
