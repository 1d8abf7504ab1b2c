#include "proxstream/core/round_report.hpp"

#include "proxstream/core/error.hpp"

#include <array>
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

Cost& Cost::operator+=(const Cost& other) {
    record_gradients += other.record_gradients;
    record_values += other.record_values;
    passes += other.passes;
    prox += other.prox;
    return *this;
}

}  // namespace proxstream
