// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/feet.h"
#include "cli/settings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ikstream::cli {
namespace {

using testing::HasSubstr;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(SettingsTest, SetsEveryKindOfField) {
  v1::CleanupSettings settings;
  EXPECT_TRUE(ApplySetting("contact.enter_speed=0.2", settings).ok());
  EXPECT_TRUE(ApplySetting("blend.min_frames=5", settings).ok());
  EXPECT_TRUE(ApplySetting("anchor.allow_slide=true", settings).ok());
  EXPECT_TRUE(ApplySetting("floor.mode=rolling", settings).ok());
  EXPECT_TRUE(ApplySetting("contact.mode=MODE_HEIGHT", settings).ok());
  EXPECT_FLOAT_EQ(settings.contact().enter_speed(), 0.2f);
  EXPECT_EQ(settings.blend().min_frames(), 5);
  EXPECT_TRUE(settings.anchor().allow_slide());
  EXPECT_EQ(settings.floor().mode(), v1::FloorSettings::MODE_ROLLING);
  EXPECT_EQ(settings.contact().mode(), v1::ContactSettings::MODE_HEIGHT);
}

TEST(SettingsTest, MistakesTellWhatThereIs) {
  v1::CleanupSettings settings;
  EXPECT_THAT(Message(ApplySetting("contct.enter_speed=1", settings)),
              HasSubstr("there are floor, contact, anchor"));
  EXPECT_THAT(Message(ApplySetting("contact.speed=1", settings)), HasSubstr("enter_speed"));
  EXPECT_THAT(Message(ApplySetting("contact=1", settings)), HasSubstr("is a group of mode"));
  EXPECT_THAT(Message(ApplySetting("contact.enter_speed=fast", settings)),
              HasSubstr("expected a number"));
  EXPECT_THAT(Message(ApplySetting("floor.mode=round", settings)),
              HasSubstr("auto, plane, flat, rolling"));
  EXPECT_THAT(Message(ApplySetting("contact.enter_speed", settings)),
              HasSubstr("GROUP.FIELD=VALUE"));
  EXPECT_FALSE(ApplySetting("contact.enter_speed.x=1", settings).ok());
}

TEST(FramesTest, HalfOpenAndOpenEnded) {
  EXPECT_EQ(ParseFrames("10:20")->begin, 10);
  EXPECT_EQ(ParseFrames("10:20")->end, 20);
  EXPECT_EQ(ParseFrames(":20")->begin, 0);
  EXPECT_EQ(ParseFrames("7:")->end, -1);
  for (const char* bad : {"", "5", "20:10", "3:3", "-1:4", "a:b", "1:2:3"}) {
    EXPECT_FALSE(ParseFrames(bad).ok()) << bad;
  }
}

v1::Skeleton Leg() {
  v1::Skeleton skeleton;
  for (const char* name : {"Hips", "Thigh", "Shin", "Foot", "Toe", "Toe"}) {
    skeleton.add_joints()->set_name(name);
  }
  return skeleton;
}

TEST(FeetTest, JointsByNameOrIndex) {
  const auto named = ResolveFoot(*ParseFoot("left=Thigh,Shin,Foot"), Leg());
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->name(), "left");
  EXPECT_EQ(named->hip_joint(), 1);
  EXPECT_EQ(named->knee_joint(), 2);
  EXPECT_EQ(named->ankle_joint(), 3);
  EXPECT_FALSE(named->has_toe_joint());
  EXPECT_EQ(ResolveFoot(*ParseFoot("Thigh,Shin,3,4"), Leg())->toe_joint(), 4);
}

TEST(FeetTest, UnknownAndAmbiguousJointsAreNamed) {
  EXPECT_THAT(Message(ResolveFoot(*ParseFoot("Thigh,Knee,Foot"), Leg()).status()),
              HasSubstr("no joint `Knee`"));
  EXPECT_THAT(Message(ResolveFoot(*ParseFoot("Thigh,Shin,Foot,Toe"), Leg()).status()),
              HasSubstr("several joints are named `Toe`"));
  EXPECT_FALSE(ResolveFoot(*ParseFoot("Thigh,Shin,6"), Leg()).ok());
  EXPECT_FALSE(ParseFoot("Thigh,Shin").ok());
}

TEST(ContactsTest, FootByNameOrIndex) {
  google::protobuf::RepeatedPtrField<v1::Foot> feet;
  feet.Add()->set_name("left");
  feet.Add()->set_name("right");
  const auto contacts = ResolveContacts(*ParseContacts("right=0:9,32:40"), feet);
  ASSERT_TRUE(contacts.ok());
  EXPECT_EQ(contacts->foot(), 1);
  ASSERT_EQ(contacts->intervals_size(), 2);
  EXPECT_EQ(contacts->intervals(1).begin(), 32);
  EXPECT_EQ(contacts->intervals(1).end(), 40);
  EXPECT_EQ(ResolveContacts(*ParseContacts("0=1:2"), feet)->foot(), 0);
  EXPECT_THAT(Message(ResolveContacts(*ParseContacts("tail=1:2"), feet).status()),
              HasSubstr("left, right"));
  EXPECT_FALSE(ParseContacts("left=5:5").ok());
  EXPECT_FALSE(ParseContacts("left=5:").ok());
  EXPECT_FALSE(ParseContacts("0:9").ok());
}

}  // namespace
}  // namespace ikstream::cli
