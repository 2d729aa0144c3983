// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Runs the rates bench: a clock and a reset until every cell has ended.

#include <memory>

#include "Vtop.h"
#include "verilated.h"

int main(int argc, char** argv) {
    const auto context = std::make_unique<VerilatedContext>();
    context->commandArgs(argc, argv);
    const auto top = std::make_unique<Vtop>(context.get());
    for (int cycles = 0; !top->ended_o && !context->gotFinish(); ++cycles) {
        top->clk_i = 0;
        top->rst_ni = cycles >= 5;
        top->eval();
        top->clk_i = 1;
        top->eval();
    }
    top->final();
    return 0;
}
