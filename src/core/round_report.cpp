#include "proxstream/core/round_report.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace proxstream {
namespace {

constexpr std::array<std::pair<RoundStatus, std::string_view>, 5> kNames{{
    {RoundStatus::quiet, "quiet"},
    {RoundStatus::solved, "solved"},
    {RoundStatus::budget_exhausted, "budget_exhausted"},
    {RoundStatus::moved, "moved"},
    {RoundStatus::refused, "refused"},
}};

}  // namespace

std::string_view name(RoundStatus status) {
    for (const auto& [value, text] : kNames) {
        if (value == status) return text;
    }
    return "?";
}

RoundStatus round_status(std::string_view name) {
    for (const auto& [value, text] : kNames) {
        if (text == name) return value;
    }
    throw Error("unknown round status '" + std::string(name) + "'");
}

void note_movement(ConstView from, ConstView to, RoundReport& report) {
    report.movement = distance(to, from);
    report.movement_one = 0;
    report.changed = 0;
    for (Index i = 0; i < to.size(); ++i) {
        const Real moved = std::abs(to[i] - from[i]);
        report.movement_one += moved;
        report.changed += moved > 0 ? 1 : 0;
    }
}

}  // namespace proxstream
