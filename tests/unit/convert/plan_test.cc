// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/plan.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

#include "convert/settings.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Gives every field of a message a value of its own, but for CleanupSettings, whose ranges are
// checked.
class Filler {
 public:
  void Fill(Message& message) {
    const auto* type = message.GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
          field->message_type()->name() == "CleanupSettings")
        continue;
      if (field->is_repeated()) {
        FillRepeated(message, field);
        FillRepeated(message, field);
      } else {
        FillSingle(message, field);
      }
    }
  }

 private:
  int Next() { return ++counter_ % 1000; }

  void FillSingle(Message& m, const FieldDescriptor* f) {
    const auto* r = m.GetReflection();
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetInt32(&m, f, Next());
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetInt64(&m, f, Next());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetFloat(&m, f, 0.001f * static_cast<float>(Next()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetDouble(&m, f, 0.001 * Next());
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->SetBool(&m, f, true);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->SetEnumValue(&m, f, 2);
      case FieldDescriptor::CPPTYPE_STRING:
        // Solver names are checked.
        return r->SetString(&m, f, f->name() == "solver" ? "fabrik" : std::to_string(Next()));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(*r->MutableMessage(&m, f));
      default:
        FAIL() << "a type that no plan has: " << f->full_name();
    }
  }

  void FillRepeated(Message& m, const FieldDescriptor* f) {
    const auto* r = m.GetReflection();
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return Fill(*r->AddMessage(&m, f));
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      return r->AddString(&m, f, std::to_string(Next()));
    ASSERT_EQ(f->cpp_type(), FieldDescriptor::CPPTYPE_FLOAT) << f->full_name();
    r->AddFloat(&m, f, 0.001f * static_cast<float>(Next()));
  }

  int counter_ = 0;
};

v1::Plan FullPlan() {
  v1::Plan plan;
  Filler().Fill(plan);
  *plan.mutable_settings() = ToProto(WithDefaults({}));
  return plan;
}

std::string Difference(const Message& a, const Message& b) {
  std::string report;
  google::protobuf::util::MessageDifferencer differ;
  differ.ReportDifferencesToString(&report);
  differ.Compare(a, b);
  return report;
}

TEST(Plan, EveryFieldSurvivesTheWayToTheCoreAndBack) {
  const v1::Plan sent = FullPlan();
  const auto plan = ToPlan(sent, 10000);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(Difference(sent, ToProto(*plan)), "");
}

TEST(Plan, PartsJoinToTheWhole) {
  const v1::Plan sent = FullPlan();
  for (int bytes : {1 << 20, 4000, 200, 1}) {
    const auto parts = CutPlan(sent, bytes);
    v1::Plan joined;
    for (size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].last(), i + 1 == parts.size());
      ASSERT_TRUE(JoinPlanPart(parts[i], i == 0, joined).ok());
    }
    EXPECT_EQ(Difference(sent, joined), "") << bytes;
    if (bytes == 1 << 20) {
      EXPECT_EQ(parts.size(), 1u);
    }
  }
}

TEST(Plan, PartsAreBounded) {
  v1::Plan plan = FullPlan();
  for (int i = 0; i < 40000; ++i)
    *plan.mutable_feet(0)->add_intervals() = plan.feet(0).intervals(0);
  const auto parts = CutPlan(plan, 1 << 20);
  EXPECT_GT(parts.size(), 2u);
  for (const v1::PlanPart& part : parts) EXPECT_LE(part.ByteSizeLong(), (1u << 20) + 4096u);
}

TEST(Plan, APartForAFootThatIsNotThereIsAnError) {
  v1::Plan plan;
  v1::PlanPart part;
  part.mutable_head();
  ASSERT_TRUE(JoinPlanPart(part, true, plan).ok());
  v1::PlanPart more;
  more.add_intervals()->set_foot(2'000'000'000);
  EXPECT_EQ(FieldOf(JoinPlanPart(more, false, plan)), "plan_part.intervals[0].foot");
  EXPECT_EQ(FieldOf(JoinPlanPart(part, false, plan)), "plan_part.head");
}

TEST(Settings, EveryFieldSurvives) {
  v1::CleanupSettings sent = ToProto(WithDefaults({}));
  sent.mutable_floor()->set_mode(v1::FloorSettings::MODE_FLAT);
  sent.mutable_floor()->set_height(0.5f);
  sent.mutable_contact()->set_enter_height_m(0.05f);
  sent.mutable_sole()->set_align(false);
  const auto settings = ToSettings(sent);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(Difference(sent, ToProto(*settings)), "");
  // Nothing of the message is left unset, so nothing can have been forgotten.
  const auto* groups = sent.GetDescriptor();
  for (int g = 0; g < groups->field_count(); ++g) {
    const Message& group = sent.GetReflection()->GetMessage(sent, groups->field(g));
    for (int i = 0; i < group.GetDescriptor()->field_count(); ++i)
      EXPECT_TRUE(group.GetReflection()->HasField(group, group.GetDescriptor()->field(i)))
          << group.GetDescriptor()->field(i)->full_name();
  }
}

TEST(Settings, UnsetStaysUnset) {
  const auto settings = ToSettings({});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(ToProto(*settings).ByteSizeLong(), 0u);
}

TEST(Settings, AnUnknownChoiceIsAnError) {
  v1::CleanupSettings sent;
  sent.mutable_floor()->set_mode(static_cast<v1::FloorSettings::Mode>(42));
  EXPECT_EQ(FieldOf(ToSettings(sent).status()), "floor.mode");
}

}  // namespace
}  // namespace ikstream
