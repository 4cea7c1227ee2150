// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/messages.h"

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"

namespace ikstream::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::int64_t Integer(Bytes& bytes) {
  const int kind = bytes.U8();
  if (kind < 128) return bytes.Range(0, 8);
  if (kind < 192) return bytes.Range(0, 255);
  if (kind < 224) return -bytes.Range(0, 8);
  constexpr std::int64_t kEnds[] = {std::numeric_limits<std::int32_t>::max(),
                                    std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min(),
                                    65536,
                                    1'000'000'007};
  return kEnds[static_cast<size_t>(kind) % std::size(kEnds)];
}

std::int32_t Integer32(Bytes& bytes) { return static_cast<std::int32_t>(Integer(bytes)); }

double Double(Bytes& bytes) {
  if (bytes.Rarely(16)) return 1e300;
  return static_cast<double>(bytes.Any());
}

void SetOne(Bytes& bytes, Message& m, const Reflection& r, const FieldDescriptor* f) {
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return r.SetInt32(&m, f, Integer32(bytes));
    case FieldDescriptor::CPPTYPE_INT64:
      return r.SetInt64(&m, f, Integer(bytes));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return r.SetFloat(&m, f, bytes.Any());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return r.SetDouble(&m, f, Double(bytes));
    case FieldDescriptor::CPPTYPE_BOOL:
      return r.SetBool(&m, f, bytes.Coin());
    case FieldDescriptor::CPPTYPE_ENUM:
      return r.SetEnumValue(&m, f, bytes.Rarely(16) ? -7 : bytes.Range(0, 7));
    case FieldDescriptor::CPPTYPE_STRING:
      return r.SetString(&m, f, bytes.Text(12));
    default:
      return;
  }
}

void AddOne(Bytes& bytes, Message& m, const Reflection& r, const FieldDescriptor* f) {
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return r.AddInt32(&m, f, Integer32(bytes));
    case FieldDescriptor::CPPTYPE_INT64:
      return r.AddInt64(&m, f, Integer(bytes));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return r.AddFloat(&m, f, bytes.Any());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return r.AddDouble(&m, f, Double(bytes));
    case FieldDescriptor::CPPTYPE_BOOL:
      return r.AddBool(&m, f, bytes.Coin());
    case FieldDescriptor::CPPTYPE_ENUM:
      return r.AddEnumValue(&m, f, bytes.Range(0, 7));
    case FieldDescriptor::CPPTYPE_STRING:
      return r.AddString(&m, f, bytes.Text(12));
    default:
      r.AddMessage(&m, f);
      return;
  }
}

void SetAt(Bytes& bytes, Message& m, const Reflection& r, const FieldDescriptor* f, int i) {
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return r.SetRepeatedInt32(&m, f, i, Integer32(bytes));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return r.SetRepeatedFloat(&m, f, i, bytes.Any());
    case FieldDescriptor::CPPTYPE_BOOL:
      return r.SetRepeatedBool(&m, f, i, bytes.Coin());
    case FieldDescriptor::CPPTYPE_STRING:
      return r.SetRepeatedString(&m, f, i, bytes.Text(12));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MutateField(bytes, *r.MutableRepeatedMessage(&m, f, i));
    default:
      return;
  }
}

void MutateRepeated(Bytes& bytes, Message& m, const Reflection& r, const FieldDescriptor* f) {
  const int size = r.FieldSize(m, f), kind = bytes.Range(0, 7);
  if (kind == 0) return r.ClearField(&m, f);
  if (kind == 1 && size > 0) return r.RemoveLast(&m, f);
  if (kind == 2 || size == 0) return AddOne(bytes, m, r, f);
  if (kind == 3) return r.SwapElements(&m, f, 0, bytes.U16() % size);
  SetAt(bytes, m, r, f, bytes.U16() % size);
}

std::string NotFiniteField(const Message& m, const Reflection& r, const FieldDescriptor* f) {
  const int size = f->is_repeated() ? r.FieldSize(m, f) : 1;
  for (int i = 0; i < size; ++i) {
    std::string inner;
    double x = 0;
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      inner = NotFinite(f->is_repeated() ? r.GetRepeatedMessage(m, f, i) : r.GetMessage(m, f));
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT)
      x = static_cast<double>(f->is_repeated() ? r.GetRepeatedFloat(m, f, i)
                                               : r.GetFloat(m, f));
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE)
      x = f->is_repeated() ? r.GetRepeatedDouble(m, f, i) : r.GetDouble(m, f);
    if (!inner.empty() || !std::isfinite(x))
      return absl::StrCat(f->name(), "[", i, "]", inner.empty() ? "" : ".", inner);
  }
  return "";
}

}  // namespace

void MutateField(Bytes& bytes, Message& message) {
  const auto* type = message.GetDescriptor();
  if (type->field_count() == 0) return;
  const Reflection& r = *message.GetReflection();
  const FieldDescriptor* f = type->field(bytes.U8() % type->field_count());
  if (f->is_repeated()) return MutateRepeated(bytes, message, r, f);
  if (bytes.Rarely(8)) return r.ClearField(&message, f);
  if (f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
    return MutateField(bytes, *r.MutableMessage(&message, f));
  SetOne(bytes, message, r, f);
}

std::string NotFinite(const Message& message) {
  const Reflection& r = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  r.ListFields(message, &fields);
  for (const FieldDescriptor* f : fields)
    if (std::string path = NotFiniteField(message, r, f); !path.empty()) return path;
  return "";
}

}  // namespace ikstream::fuzz
