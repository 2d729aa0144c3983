// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Operations on elliptic curves: operands in, results out, the outcome in STATUS.

use ciphermill::{Buffer, Cancellation, Error, Operation, Request, Result, SecretKey, Timing};
use zeroize::Zeroizing;

use crate::curve::Curve;
use crate::identity::{SHA2_FUNCTIONS, Sha2};
use crate::message::Message;
use crate::nonce::Nonces;
use crate::registers::*;
use crate::{Driver, Finished, Link};

/// In messages.
const THIS: &str = "this accelerator";

/// Candidates that a device may refuse for one private key or one nonce. A good device refuses
/// one in 2^32 at most, so one that refuses all of these is broken.
const CANDIDATES: usize = 8;

impl<L: Link> Driver<L> {
    /// Run an operation on a curve that the device has; what it gives replaces `data`.
    pub(crate) fn run_on_curve(
        &mut self,
        curve: &Curve,
        request: &Request,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Finished> {
        let bytes = request.output_bytes(data.len());
        let mut on_curve = OnCurve::new(self, curve, 0, cancellation);
        match request {
            Request::GenerateKey(_) => on_curve.generate(bytes, data)?,
            Request::Sign(_, key) => on_curve.sign(key.bytes(THIS)?, bytes, data)?,
            Request::Verify {
                public_key,
                signature,
                ..
            } => on_curve.verify(public_key, signature, data)?,
            Request::Agree(_, key) => {
                let key = key.bytes(THIS)?;
                let operands = Zeroizing::new([key.as_bytes(), &data[..]].concat());
                let operation = CONFIGURATION_OPERATION_AGREE;
                match on_curve.operate(operation, &operands, bytes, data)? {
                    STATUS_OUTCOME_GOOD => {}
                    outcome => return Err(curve.refusal(outcome, Some(key))),
                }
            }
            _ => return Err(request.unsupported(THIS)),
        }
        on_curve.finished()
    }

    /// As [`Driver::run_on_curve`], with the key in a slot.
    pub(crate) fn run_on_slot(
        &mut self,
        slot: u32,
        curve: &Curve,
        request: &Request,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Finished> {
        self.check_usable()?;
        request.check(data.len())?;
        let bytes = request.output_bytes(data.len());
        let mut on_curve = OnCurve::new(self, curve, slot, cancellation);
        let (operation, operands) = match request {
            Request::Sign(..) => {
                on_curve.held |= on_curve.nonce_hash(data.len()) << CONFIGURATION_HASH_SHIFT;
                let number = curve.reduced(curve.number_of(data));
                (CONFIGURATION_OPERATION_SIGN, number)
            }
            Request::Agree(..) => (CONFIGURATION_OPERATION_AGREE, data.to_vec()),
            _ => return Err(request.unsupported("a key slot")),
        };
        match on_curve.operate(operation, &operands, bytes, data)? {
            STATUS_OUTCOME_GOOD => on_curve.finished(),
            outcome => Err(curve.refusal(outcome, None)),
        }
    }

    /// Put a private key into an empty slot, or generate one there; its public key.
    pub(crate) fn fill_slot(
        &mut self,
        slot: u32,
        curve: &Curve,
        key: Option<&SecretKey>,
        cancellation: &Cancellation,
    ) -> Result<Vec<u8>> {
        let bytes = 2 * curve.algorithm.key_bytes();
        let mut data = Buffer::default();
        let mut on_curve = OnCurve::new(self, curve, slot, cancellation);
        match key {
            None => on_curve.generate(bytes, &mut data)?,
            Some(key) => {
                let operation = CONFIGURATION_OPERATION_IMPORT;
                match on_curve.operate(operation, key.as_bytes(), bytes, &mut data)? {
                    STATUS_OUTCOME_GOOD => {}
                    outcome => return Err(curve.refusal(outcome, Some(key))),
                }
            }
        }
        Ok(data.to_vec())
    }

    /// Empty a slot; whatever was cancelled, a key does not stay.
    pub(crate) fn erase_slot(&mut self, slot: u32, curve: &Curve) -> Result<()> {
        self.check_usable()?;
        let never = Cancellation::new();
        let mut on_curve = OnCurve::new(self, curve, slot, &never);
        let operation = CONFIGURATION_OPERATION_ERASE;
        match on_curve.operate(operation, &[], 0, &mut Buffer::default())? {
            STATUS_OUTCOME_GOOD => Ok(()),
            outcome => Err(curve.refusal(outcome, None)),
        }
    }
}

/// A request on a curve, which may take several operations.
struct OnCurve<'a, L: Link> {
    driver: &'a mut Driver<L>,
    curve: &'a Curve,
    /// The key slot, and the hash of its nonces, in CONFIGURATION; 0 without a slot.
    held: u32,
    cancellation: &'a Cancellation,
    /// Of the operations so far.
    timing: Option<Timing>,
}

impl<'a, L: Link> OnCurve<'a, L> {
    /// With the key in a slot, or in none where it is 0.
    fn new(
        driver: &'a mut Driver<L>,
        curve: &'a Curve,
        slot: u32,
        cancellation: &'a Cancellation,
    ) -> OnCurve<'a, L> {
        OnCurve {
            driver,
            curve,
            held: slot << CONFIGURATION_KEY_SLOT_SHIFT,
            cancellation,
            timing: None,
        }
    }

    fn finished(self) -> Result<Finished> {
        let timing = self.timing;
        Ok(Finished {
            timing: timing.ok_or_else(|| Error::device("no operation was run"))?,
            tag: None,
        })
    }

    /// CONFIGURATION.hash for the nonce of a signature: the function of SHA-2 whose digests are
    /// as long, or the longest one that the device has.
    fn nonce_hash(&self, digest_bytes: usize) -> u32 {
        let present = &self.driver.identity().whole;
        let is_present = |row: &&Sha2| present.contains(&(row.hmac, Operation::Authenticate));
        let rows = SHA2_FUNCTIONS.iter().filter(is_present);
        let as_long = rows
            .clone()
            .find(|row| row.digest.digest_bytes == digest_bytes);
        let longest = rows.max_by_key(|row| row.digest.digest_bytes);
        as_long.or(longest).map_or(0, |row| row.number)
    }

    /// Run an operation; its outcome. Its results, so many bytes, replace `data` if it is good.
    fn operate(
        &mut self,
        operation: u32,
        operands: &[u8],
        result_bytes: usize,
        data: &mut Buffer,
    ) -> Result<u32> {
        data.replace(operands)?;
        let configuration = operation << CONFIGURATION_OPERATION_SHIFT
            | self.curve.number << CONFIGURATION_CURVE_SHIFT
            | self.held;
        let message = Message::on_curve(configuration, result_bytes);
        let finished = self.driver.run_message(&message, data, self.cancellation)?;
        self.timing = Some(match self.timing {
            Some(before) => before.then(finished.timing),
            None => finished.timing,
        });
        Ok(self.driver.outcome)
    }

    fn generate(&mut self, bytes: usize, data: &mut Buffer) -> Result<()> {
        let algorithm = self.curve.algorithm;
        let mut random = Zeroizing::new(vec![0; algorithm.key_bytes()]);
        for _ in 0..CANDIDATES {
            getrandom::fill(&mut random).map_err(|error| {
                Error::device(format!("the system gives no random bytes: {error}"))
            })?;
            // The bits that the order has not.
            random[0] &= 0xff >> (8 * random.len() - algorithm.key_bits[0]);
            let operation = CONFIGURATION_OPERATION_GENERATE;
            match self.operate(operation, &random, bytes, data)? {
                STATUS_OUTCOME_GOOD => return Ok(()),
                STATUS_OUTCOME_RANDOM => {}
                outcome => return Err(self.curve.refusal(outcome, None)),
            }
        }
        Err(self.none_taken("private keys"))
    }

    fn sign(&mut self, key: &SecretKey, bytes: usize, data: &mut Buffer) -> Result<()> {
        let (curve, digest_bytes) = (self.curve, data.len());
        let number = curve.number_of(data);
        let reduced = curve.reduced(number.clone());
        let order_bits = curve.algorithm.key_bits[0];
        let mut nonces = Nonces::new(order_bits, key.as_bytes(), &reduced, digest_bytes);
        for _ in 0..CANDIDATES {
            let operands = Zeroizing::new([key.as_bytes(), &nonces.next(), &number].concat());
            match self.operate(CONFIGURATION_OPERATION_SIGN, &operands, bytes, data)? {
                STATUS_OUTCOME_GOOD => return Ok(()),
                STATUS_OUTCOME_NONCE | STATUS_OUTCOME_ZERO_R | STATUS_OUTCOME_ZERO_S => {}
                outcome => return Err(curve.refusal(outcome, Some(key))),
            }
        }
        Err(self.none_taken("nonces"))
    }

    fn none_taken(&self, candidates: &str) -> Error {
        let name = self.curve.algorithm.name;
        Error::device(format!(
            "the accelerator refused {CANDIDATES} {candidates} of {name}, one after the other"
        ))
    }

    fn verify(&mut self, public_key: &[u8], signature: &[u8], data: &mut Buffer) -> Result<()> {
        let number = self.curve.number_of(data);
        let operands = [public_key, signature, &number].concat();
        let mut outcome = self.operate(CONFIGURATION_OPERATION_VERIFY, &operands, 0, data)?;
        let right = outcome == STATUS_OUTCOME_GOOD;
        if outcome == STATUS_OUTCOME_SIGNATURE {
            // The device has not looked at the public key, which may be none: it does in an
            // agreement with the private key 1.
            let mut one = vec![0; number.len()];
            one[number.len() - 1] = 1;
            let (operands, operation) =
                ([&one, public_key].concat(), CONFIGURATION_OPERATION_AGREE);
            outcome = self.operate(operation, &operands, number.len(), data)?;
        }
        match outcome {
            STATUS_OUTCOME_GOOD | STATUS_OUTCOME_INVALID => {}
            other => return Err(self.curve.refusal(other, None)),
        }
        data.replace(&[u8::from(right)])
    }
}
