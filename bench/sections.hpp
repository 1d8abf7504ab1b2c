/// The sections of the table, a file each; their order is in sections.cpp.
#pragma once

#include "harness/bench.hpp"

namespace proxstream::bench {

void limit_rows(Bench& bench);
void kernel_rows(Bench& bench);
void prox_rows(Bench& bench);
void inner_rows(Bench& bench);
void fit_rows(Bench& bench);
void learn_rows(Bench& bench);
void front_rows(Bench& bench);
void parser_rows(Bench& bench);
void traffic_rows(Bench& bench);
void cost_rows(Bench& bench);
void store_rows(Bench& bench);
void ensemble_rows(Bench& bench);
void game_rows(Bench& bench);
void peer_rows(Bench& bench);

}  // namespace proxstream::bench
