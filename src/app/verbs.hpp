/// The verbs of the command line, one file each.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace proxstream::app {

int learn(const std::vector<std::string>& arguments);
int predict(const std::vector<std::string>& arguments);
int compare(const std::vector<std::string>& arguments);
int route(const std::vector<std::string>& arguments);
int assign_demand(const std::vector<std::string>& arguments);
int fit_data(const std::vector<std::string>& arguments);
int compare_fits(const std::vector<std::string>& arguments);
int play(const std::vector<std::string>& arguments);
int advise_game(const std::vector<std::string>& arguments);
int advise(const std::vector<std::string>& arguments);
int certify_ledger(const std::vector<std::string>& arguments);
int report_run(const std::vector<std::string>& arguments);
int serve(const std::vector<std::string>& arguments);
int study(const std::vector<std::string>& arguments);
int list(const std::vector<std::string>& arguments);

int list_runs(const std::vector<std::string>& arguments);
int show_file(const std::vector<std::string>& arguments);
int export_run(const std::vector<std::string>& arguments);
int resume_run(const std::vector<std::string>& arguments);
int fork_run(const std::vector<std::string>& arguments);
int recover_run(const std::vector<std::string>& arguments);

// `resume` of each kind of run: with the settings in its store, and options that change no figures.
int resume_learn(const std::string& path, const std::vector<std::string>& arguments);
int resume_route(const std::string& path, const std::vector<std::string>& arguments);
int resume_play(const std::string& path, const std::vector<std::string>& arguments);
int resume_fit(const std::string& path, const std::vector<std::string>& arguments);

/// Compiler, instructions, and libraries with the versions compiled against and running.
void print_versions();

/// Set by SIGINT and SIGTERM; runs end with their footer, certificate and model when they see it.
const std::atomic<bool>* stop_requested();

}  // namespace proxstream::app
