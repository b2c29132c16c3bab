-- Looks at claims: each is in three keys, and they agree.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: by which key to go, 3 held, 4 records, 2 leases; 3: where to go on, nothing at the beginning
-- returns  as audit_parts.lua says
-- costs    O(jobs) of each claim
-- @include calls
-- @include clock
-- @include header_read
-- @include put_back
-- @include audit_parts
-- @include audit_weight
local by, looked = ARGV[2] + 0, 0
-- @include audit_claim
-- Each is looked at once: by the first of these that has it, and where only records are left, by the first part of them.
local function look(field)
  local token, part = field, #field == 13 and by == 4 and byte(field, 13) or 1
  if part > 1 and part <= MAX_PARTS then
    token = sub(field, 1, 12)
  end
  local held = call('HGET', KEYS[3], token)
  local _, _, parts = held_of(held)
  -- It may have gone since it was noted for this step.
  local is_there = by == 3 and held
    or not held and by == 2 and call('ZSCORE', KEYS[2], token) and not first_part(token)
    or not held and by == 4 and first_part(token) == field
  if is_there then
    check(token)
  elseif by == 4 and parts and part > parts and call('HEXISTS', KEYS[4], field) == 1 then
    found(CLAIM, token)
    if mend then
      set_aside(call('HGET', KEYS[4], field))
      call('HDEL', KEYS[4], field)
    end
  end
end
-- A page may have all there is of a small hash: what is too much for this step stays in the cursor, for the next one.
local fields, cursor, at = {}, '', 1
if #ARGV[3] > 0 then
  cursor = sub(ARGV[3], 2, 1 + byte(ARGV[3]))
  at = 2 + #cursor
end
while at < #ARGV[3] do
  local size = read('>I2', ARGV[3], at)
  fields[#fields + 1] = sub(ARGV[3], at + 2, at + 1 + size)
  at = at + 2 + size
end
if #fields == 0 then
  local page = call(by == 2 and 'ZSCAN' or 'HSCAN', KEYS[by], #cursor > 0 and cursor or '0', 'COUNT', by == 4 and 3 or 10)
  cursor = page[1]
  for i = 1, #page[2], 2 do
    fields[#fields + 1] = page[2][i]
  end
end
local n, rest = 0, {}
while n < #fields and looked < MAX_WEIGHT do
  n = n + 1
  look(fields[n])
end
for i = n + 1, #fields do
  rest[#rest + 1] = pack('>I2', #fields[i]) .. fields[i]
end
if #findings > 0 and mend then
  -- @include header_write
end
return told((#rest > 0 or cursor ~= '0') and string.char(#cursor) .. cursor .. table.concat(rest) or '')
