; Copyright Ciphermill contributors.
; SPDX-License-Identifier: Apache-2.0
;
; The programs of the ECC engine, for all of its curves. README.md describes the
; instructions.
;
; Points are projective, (X : Y : Z) for x = X/Z and y = Y/Z; the point at infinity is
; (0 : 1 : 0). Coordinates are Montgomery's, and not reduced: a product is below 2 p, and
; 'sub' adds a multiple of the modulus that is large enough for its result never to be
; negative. The emulator proves these bounds along every path.
;
; Renes, Costello, Batina: "Complete addition formulas for prime order elliptic curves",
; 2016, is "the paper" below. Its formulas hold for all points, so that no case is special.

; Multiples of the point: their coordinates, entry 0 the point at infinity. An
; exponentiation keeps its powers there.
.register tx*9 ty*9 tz*9
.same power*16 tx0

.register X Y Z             ; the sum
.register X2 Y2 Z2          ; what is added to it
.register t*9               ; intermediate values
.register zero unit         ; 0 and 1; zero is never written
.register k d e r s         ; scalars, digest, signature
.register px py             ; a point that was given
.register a exponent        ; base and result, exponent of an exponentiation

; ------------------------------------------------------------------ macros

; v = v modulo m, for v < 2 m
.macro reduce v m
    sub   t0, $v, $m
    sel   $v, t0, $v, borrow
.endmacro

; Go to error unless 0 < v < m
.macro check_range v m error
    sub   t0, $v, $m
    br    not_borrow, $error
    add   t0, zero, $v
    br    zero, $error
.endmacro

; Go to found if v = 0 modulo the modulus m
.macro if_zero v m found
    mul   t0, $v, one
    add   t1, zero, t0
    br    zero, $found
    sub   t1, t0, $m
    br    zero, $found
.endmacro

.macro infinity x y z
    add   $x, zero, zero
    add   $y, zero, one_p
    add   $z, zero, zero
.endmacro

; ------------------------------------------------------------------ modular arithmetic

; a = a^exponent, in Montgomery's form; power0 is 1 in that form. The exponent is public,
; and its digits choose registers.
invert:
    add   power1, zero, a
    mul   power2, a, a
    mul   power3, power2, a
    mul   power4, power2, power2
    mul   power5, power3, power2
    mul   power6, power3, power3
    mul   power7, power4, power3
    mul   power8, power4, power4
    mul   power9, power5, power4
    mul   power10, power5, power5
    mul   power11, power6, power5
    mul   power12, power6, power6
    mul   power13, power7, power6
    mul   power14, power7, power7
    mul   power15, power8, power7
    start exponent_start
    count 0, exponent_windows
    add   a, zero, power0
invert_loop:
    mul   a, a, a
    mul   a, a, a
    mul   a, a, a
    mul   a, a, a
    bit   exponent, down
    bit   exponent, down
    bit   exponent, down
    bit   exponent, down
    add   t0, zero, power[digit]
    mul   a, a, t0
    loop  0, invert_loop
    ret

; ------------------------------------------------------------------ points

; (X : Y : Z) = 2 (X : Y : Z): algorithm 6 of the paper. Coordinates are below 16 p before and
; below 8 p after.
double:
.schedule
    mul   t0, X, X
    mul   t1, Y, Y
    mul   t2, Z, Z
    mul   t3, X, Y
    mul   t4, X, Z
    mul   t5, Y, Z
    add   t3, t3, t3
    add   t4, t4, t4
    add   t5, t5, t5
    mul   t6, t2, b
    sub   t6, t6, t4, 4
    add   t7, t6, t6
    add   t6, t7, t6
    sub   t7, t1, t6, 32
    add   t6, t1, t6
    mul   Y, t7, t6
    mul   X, t7, t3
    add   t8, t2, t2
    add   t2, t2, t8
    mul   t4, t4, b
    sub   t4, t4, t2, 8
    sub   t4, t4, t0, 2
    add   t7, t4, t4
    add   t4, t4, t7
    add   t8, t0, t0
    add   t0, t0, t8
    sub   t0, t0, t2, 8
    mul   t0, t0, t4
    add   Y, Y, t0
    mul   t4, t5, t4
    sub   X, X, t4, 2
    mul   Z, t5, t1
    add   Z, Z, Z
    add   Z, Z, Z
.end
    ret

; (X : Y : Z) = (X : Y : Z) + (X2 : Y2 : Z2): algorithm 4 of the paper. Coordinates are below
; 16 p before and below 4 p after.
add_points:
.schedule
    mul   t0, X, X2
    mul   t1, Y, Y2
    mul   t2, Z, Z2
    add   t3, X, Y
    add   t4, X2, Y2
    mul   t3, t3, t4
    add   t5, Y, Z
    add   t6, Y2, Z2
    mul   t5, t5, t6
    add   t7, X, Z
    add   t8, X2, Z2
    mul   t7, t7, t8
    add   t4, t0, t1
    sub   t3, t3, t4, 4
    add   t6, t1, t2
    sub   t4, t5, t6, 4
    add   t8, t0, t2
    sub   t5, t7, t8, 4
    mul   t6, t2, b
    sub   t7, t5, t6, 2
    add   t6, t7, t7
    add   t7, t7, t6
    sub   t6, t1, t7, 32
    add   t7, t1, t7
    mul   t5, t5, b
    add   t1, t2, t2
    add   t2, t1, t2
    sub   t5, t5, t2, 8
    sub   t5, t5, t0, 2
    add   t1, t5, t5
    add   t5, t1, t5
    add   t1, t0, t0
    add   t0, t1, t0
    sub   t0, t0, t2, 8
    mul   t1, t4, t5
    mul   t2, t0, t5
    mul   Y, t7, t6
    add   Y, Y, t2
    mul   X, t3, t7
    sub   X, X, t1, 2
    mul   Z, t4, t6
    mul   t8, t3, t0
    add   Z, Z, t8
.end
    ret

; X, Y = affine coordinates of (X : Y : Z), reduced
to_affine:
    add   power0, zero, one_p
    add   a, zero, Z
    add   exponent, zero, p_exponent
    call  invert
    mul   X, X, a
    mul   Y, Y, a
    mul   X, X, one
    mul   Y, Y, one
    reduce X, p
    reduce Y, p
    ret

; Check the point px, py, and change it to Montgomery's form: SP 800-56A, section 5.6.2.3.3.
; The modulus becomes p. The cofactor is 1.
check_point:
    modulus p
    sub   t0, px, p
    br    not_borrow, error_coordinate
    sub   t0, py, p
    br    not_borrow, error_coordinate
    add   t0, px, py
    br    zero, error_infinity
    mul   px, px, p_square
    mul   py, py, p_square
    mul   t1, py, py
    mul   t2, px, px
    mul   t2, t2, px
    add   t3, px, px
    add   t3, t3, px
    sub   t2, t2, t3, 8
    add   t2, t2, b
    sub   t2, t2, t1, 2
    if_zero t2, p, check_point_good
    br    always, error_curve
check_point_good:
    ret

; ------------------------------------------------------------------ multiples of G

; (X : Y : Z) = k G in constant time, by the table of G: every entry is read for each column
; of bits. The modulus is p.
multiply_base:
    infinity X, Y, Z
    start comb_start
    count 0, columns
multiply_base_loop:
    bit   k, tooth
    bit   k, tooth
    bit   k, tooth
    bit   k, column
    call  double
    add   Z2, zero, one_p
    sel   Z2, Z2, zero, digit=0
    add   X2, zero, gx0
    add   Y2, zero, gy0
    sel   X2, X2, gx1, digit=1
    sel   Y2, Y2, gy1, digit=1
    sel   X2, X2, gx2, digit=2
    sel   Y2, Y2, gy2, digit=2
    sel   X2, X2, gx3, digit=3
    sel   Y2, Y2, gy3, digit=3
    sel   X2, X2, gx4, digit=4
    sel   Y2, Y2, gy4, digit=4
    sel   X2, X2, gx5, digit=5
    sel   Y2, Y2, gy5, digit=5
    sel   X2, X2, gx6, digit=6
    sel   Y2, Y2, gy6, digit=6
    sel   X2, X2, gx7, digit=7
    sel   Y2, Y2, gy7, digit=7
    sel   X2, X2, gx8, digit=8
    sel   Y2, Y2, gy8, digit=8
    sel   X2, X2, gx9, digit=9
    sel   Y2, Y2, gy9, digit=9
    sel   X2, X2, gx10, digit=10
    sel   Y2, Y2, gy10, digit=10
    sel   X2, X2, gx11, digit=11
    sel   Y2, Y2, gy11, digit=11
    sel   X2, X2, gx12, digit=12
    sel   Y2, Y2, gy12, digit=12
    sel   X2, X2, gx13, digit=13
    sel   Y2, Y2, gy13, digit=13
    sel   X2, X2, gx14, digit=14
    sel   Y2, Y2, gy14, digit=14
    sel   X2, X2, gx15, digit=15
    sel   Y2, Y2, gy15, digit=15
    call  add_points
    loop  0, multiply_base_loop
    ret

; ------------------------------------------------------------------ multiples of a point

.macro keep n
    add   tx$n, zero, X
    add   ty$n, zero, Y
    add   tz$n, zero, Z
.endmacro

; Entries 0 to 8 of the table = multiples of the point px, py
make_table:
    infinity tx0, ty0, tz0
    add   X2, zero, px
    add   Y2, zero, py
    add   Z2, zero, one_p
    add   X, zero, px
    add   Y, zero, py
    add   Z, zero, one_p
    keep  1
    call  add_points
    keep  2
    call  add_points
    keep  3
    call  add_points
    keep  4
    call  add_points
    keep  5
    call  add_points
    keep  6
    call  add_points
    keep  7
    call  add_points
    keep  8
    ret

; Y2 = -Y2 if the window is negative
.macro negate
    sub   t0, zero, Y2, 4
    sel   Y2, Y2, t0, minus
.endmacro

; The five bits of the next window, of which the next one has the last one, too
.macro window scalar
    bit   $scalar, down
    bit   $scalar, down
    bit   $scalar, down
    bit   $scalar, down
    bit   $scalar, stay
.endmacro

.macro choose n
    sel   X2, X2, tx$n, magnitude=$n
    sel   Y2, Y2, ty$n, magnitude=$n
    sel   Z2, Z2, tz$n, magnitude=$n
.endmacro

; (X : Y : Z) = d (px, py) in constant time: every entry of the table is read for each
; window. The modulus is p.
multiply_point:
    call  make_table
    infinity X, Y, Z
    start window_start
    count 0, windows
multiply_point_loop:
    window d
    call  double
    call  double
    call  double
    call  double
    add   X2, zero, tx0
    add   Y2, zero, ty0
    add   Z2, zero, tz0
    choose 1
    choose 2
    choose 3
    choose 4
    choose 5
    choose 6
    choose 7
    choose 8
    negate
    call  add_points
    loop  0, multiply_point_loop
    ret

; The entry of the table for the window of d, by its number: for public scalars only
.macro look_up
    window d
    add   X2, zero, tx[magnitude]
    add   Y2, zero, ty[magnitude]
    add   Z2, zero, tz[magnitude]
    negate
.endmacro

; (X : Y : Z) = k G + d (px, py) for public scalars. The modulus is p.
multiply_both:
    call  make_table
    infinity X, Y, Z
    start window_start
    start comb_start
    count 0, high_windows
multiply_both_high:
    call  double
    call  double
    call  double
    call  double
    look_up
    call  add_points
    loop  0, multiply_both_high
    count 0, low_windows
multiply_both_low:
    count 1, four
multiply_both_column:
    call  double
    bit   k, tooth
    bit   k, tooth
    bit   k, tooth
    bit   k, column
    add   X2, zero, gx[digit]
    add   Y2, zero, gy[digit]
    add   Z2, zero, one_p
    sel   Z2, Z2, zero, digit=0
    call  add_points
    loop  1, multiply_both_column
    look_up
    call  add_points
    loop  0, multiply_both_low
    ret

; ------------------------------------------------------------------ operations

; Random bits in; private key, public key out: FIPS 186-5, appendix A.2.2
generate:
    in    k
    add   k, k, one
    check_range k, n, error_random
    out   k
    br    always, public_point

; Private key in, public key out
public:
    in    k
    check_range k, n, error_private
public_point:
    modulus p
    call  multiply_base
    call  to_affine
    out   X
    out   Y
    end   0

; Private key, nonce, digest in; r, s out: FIPS 186-5, section 6.4.1
sign:
    in    d
    in    k
    in    e
    check_range d, n, error_private
    check_range k, n, error_nonce
    modulus p
    call  multiply_base
    call  to_affine
    sub   t0, X, n
    sel   r, t0, X, borrow
    add   t0, zero, r
    br    zero, error_zero_r
    modulus n
    add   unit, zero, one
    mul   power0, unit, n_square
    mul   a, k, n_square
    add   exponent, zero, n_exponent
    call  invert
    mul   t1, r, n_square
    mul   t1, t1, d
    add   t1, t1, e
    mul   s, a, t1
    reduce s, n
    add   t0, zero, s
    br    zero, error_zero_s
    out   r
    out   s
    end   0

; Public key, r, s, digest in: FIPS 186-5, section 6.4.2
verify:
    in    px
    in    py
    in    r
    in    s
    in    e
    check_range r, n, error_signature
    check_range s, n, error_signature
    call  check_point
    modulus n
    add   unit, zero, one
    mul   power0, unit, n_square
    mul   a, s, n_square
    add   exponent, zero, n_exponent
    call  invert
    mul   k, e, a
    reduce k, n
    mul   d, r, a
    reduce d, n
    modulus p
    call  multiply_both
    if_zero Z, p, error_invalid
    ; x = r modulo n: X = r Z or X = (r + n) Z modulo p, if r + n < p
    mul   t2, r, p_square
    mul   t2, t2, Z
    sub   t2, t2, X, 4
    if_zero t2, p, verify_good
    add   r, r, n
    sub   t2, r, p
    br    not_borrow, error_invalid
    mul   t2, r, p_square
    mul   t2, t2, Z
    sub   t2, t2, X, 4
    if_zero t2, p, verify_good
    br    always, error_invalid
verify_good:
    end   0

; Private key, public key of the other one in; x coordinate out: SP 800-56A, section 5.7.1.2
agree:
    in    d
    in    px
    in    py
    check_range d, n, error_private
    call  check_point
    call  multiply_point
    call  to_affine
    add   t0, X, Y
    br    zero, error_infinity
    out   X
    end   0

; ------------------------------------------------------------------ refusals

error_random:
    end   1
error_private:
    end   2
error_nonce:
    end   3
error_coordinate:
    end   4
error_infinity:
    end   5
error_curve:
    end   6
error_signature:
    end   7
error_invalid:
    end   8
error_zero_r:
    end   9
error_zero_s:
    end   10
