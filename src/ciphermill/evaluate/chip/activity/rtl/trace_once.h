// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stands in for verilated_saif_c.h in the files that Verilator generates: has the
// trace declare each net once.
//
// Verilator gives all names of one net (a port and what is connected to it, say)
// the same code. Of each code only the first name is declared; the outermost one,
// since a module's own names come before those inside it. Left out are the copies
// of the top module's ports that Verilator declares outside of it ($rootio).
#pragma once

#include "verilated.h"
#include "verilated_saif_c.h"

namespace rtl_trace {

// Whether to declare a name; told of every name in order.
bool declares(uint32_t code, const char* name, int array_index);
void push(const char* name);
void pop();
// Forgets all names: a new file begins.
void reset();

}  // namespace rtl_trace

#undef VL_TRACE_PUSH_PREFIX
#undef VL_TRACE_POP_PREFIX
#undef VL_TRACE_DECL_BIT
#undef VL_TRACE_DECL_BUS
#undef VL_TRACE_DECL_QUAD
#undef VL_TRACE_DECL_WIDE
#undef VL_TRACE_DECL_BIT_ARRAY
#undef VL_TRACE_DECL_BUS_ARRAY
#undef VL_TRACE_DECL_QUAD_ARRAY
#undef VL_TRACE_DECL_WIDE_ARRAY

#define VL_TRACE_PUSH_PREFIX(tracep, name, type, left, right) \
  (rtl_trace::push(name), tracep->pushPrefix(name, type))
#define VL_TRACE_POP_PREFIX(tracep) (rtl_trace::pop(), tracep->popPrefix());
#define VL_TRACE_DECL_BIT(tracep, code, fidx, name, dtypenum, dir, kind, type) \
  if (rtl_trace::declares(code, name, -1)) tracep->declBit(code, fidx, name)
#define VL_TRACE_DECL_BUS(tracep, code, fidx, name, dtypenum, dir, kind, type, msb, lsb) \
  if (rtl_trace::declares(code, name, -1)) tracep->declBus(code, fidx, name, msb, lsb)
#define VL_TRACE_DECL_QUAD(tracep, code, fidx, name, dtypenum, dir, kind, type, msb, lsb) \
  if (rtl_trace::declares(code, name, -1)) tracep->declQuad(code, fidx, name, msb, lsb)
#define VL_TRACE_DECL_WIDE(tracep, code, fidx, name, dtypenum, dir, kind, type, msb, lsb) \
  if (rtl_trace::declares(code, name, -1)) tracep->declWide(code, fidx, name, msb, lsb)
#define VL_TRACE_DECL_BIT_ARRAY(tracep, code, fidx, name, dtypenum, dir, kind, type, index) \
  if (rtl_trace::declares(code, name, index)) tracep->declBitArray(code, fidx, name, index)
#define VL_TRACE_DECL_BUS_ARRAY(tracep, code, fidx, name, dtypenum, dir, kind, type, index, msb, \
                                lsb)                                                             \
  if (rtl_trace::declares(code, name, index))                                                    \
  tracep->declBusArray(code, fidx, name, index, msb, lsb)
#define VL_TRACE_DECL_QUAD_ARRAY(tracep, code, fidx, name, dtypenum, dir, kind, type, index, msb, \
                                 lsb)                                                             \
  if (rtl_trace::declares(code, name, index))                                                     \
  tracep->declQuadArray(code, fidx, name, index, msb, lsb)
#define VL_TRACE_DECL_WIDE_ARRAY(tracep, code, fidx, name, dtypenum, dir, kind, type, index, msb, \
                                 lsb)                                                             \
  if (rtl_trace::declares(code, name, index))                                                     \
  tracep->declWideArray(code, fidx, name, index, msb, lsb)
