// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Operations on elliptic curves: operands in, results out, the outcome in STATUS.

use ciphermill::{Buffer, Cancellation, Error, Request, Result, SecretKey, Timing};
use zeroize::Zeroizing;

use crate::curve::Curve;
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
        let mut on_curve = OnCurve {
            driver: self,
            curve,
            cancellation,
            timing: None,
        };
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
        let timing = on_curve.timing;
        Ok(Finished {
            timing: timing.ok_or_else(|| Error::device("no operation was run"))?,
            tag: None,
        })
    }
}

/// A request on a curve, which may take several operations.
struct OnCurve<'a, L: Link> {
    driver: &'a mut Driver<L>,
    curve: &'a Curve,
    cancellation: &'a Cancellation,
    /// Of the operations so far.
    timing: Option<Timing>,
}

impl<L: Link> OnCurve<'_, L> {
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
            | self.curve.number << CONFIGURATION_CURVE_SHIFT;
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
