#include "proxstream/loss/record_ref.hpp"

#include "proxstream/loss/any_batch.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/window/record_ring.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

struct Measurement {
    Real value = 0;
    void serialise(StateArchive& archive) { archive.field("value", value); }
};
struct NotCopied {
    std::unique_ptr<int> value;
};

TEST(RecordRef, IsCastBackToItsOwnTypeOnly) {
    const Measurement record{3};
    const RecordRef ref = record;
    EXPECT_EQ(&ref.as<Measurement>(), &record);
    EXPECT_FALSE(ref.is<RowBlock>());
    try {
        ref.as<RowBlock>();
        FAIL() << "a measurement was taken for rows";
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("Measurement"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("proxstream::RowBlock"), std::string::npos) << error.what();
    }
    EXPECT_THROW(RecordRef().as<Measurement>(), ConfigError);
}

TEST(RecordRef, RecordsOfAnotherTypeChangeNothing) {
    AnyBatch batch(make_batch(FunctionFamily(1), 2));
    batch.push(FunctionFamily::Record([](ConstView, View) { return Real{7}; }));
    EXPECT_THROW(batch.push(Measurement{1}), ConfigError);
    EXPECT_EQ(batch.size(), 1U);
    Scratch scratch;
    const Real x[] = {0};
    EXPECT_EQ(batch.value(0, x, scratch), 7);
}

TEST(OwnedRecord, KeepsACopy) {
    Measurement record{3};
    OwnedRecord kept{RecordRef(record)};
    record.value = 4;
    EXPECT_EQ(kept.ref().as<Measurement>().value, 3);
    kept = RecordRef(record);  // into the same place
    EXPECT_EQ(kept.ref().as<Measurement>().value, 4);
    OwnedRecord other = kept;
    kept = RecordRef(RowBlock());
    EXPECT_TRUE(kept.ref().is<RowBlock>());
    EXPECT_EQ(other.ref().as<Measurement>().value, 4);
    other = RecordRef();
    EXPECT_FALSE(other);
    EXPECT_THROW(OwnedRecord{RecordRef(NotCopied())}, ConfigError);
}

TEST(OwnedRecord, IsSavedIfItsTypeSupportsIt) {
    StateArchive writing;
    OwnedRecord kept{RecordRef(Measurement{5})};
    writing.section("record", kept);
    const std::string bytes = writing.seal();

    const AnyBatch batch(make_batch(FunctionFamily(1), 2));
    OwnedRecord closure = batch.blank_record();
    StateArchive refused;
    EXPECT_THROW(refused.section("record", closure), Error);

    OwnedRecord read = OwnedRecord::blank<Measurement>();
    StateArchive reading(bytes, "test");
    reading.section("record", read);
    reading.finish();
    EXPECT_EQ(read.ref().as<Measurement>().value, 5);
}

}  // namespace
}  // namespace proxstream
