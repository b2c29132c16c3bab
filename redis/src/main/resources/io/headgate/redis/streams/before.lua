-- Whether one id of an entry is below another: as numbers of up to 20 digits, which Lua does not have.
local function before(one, other)
  local millis, sequence = string.match(one, '(%d+)-(%d+)')
  local other_millis, other_sequence = string.match(other, '(%d+)-(%d+)')
  if millis ~= other_millis then
    return millis + 0 < other_millis + 0
  end
  return #sequence < #other_sequence or #sequence == #other_sequence and sequence < other_sequence
end
