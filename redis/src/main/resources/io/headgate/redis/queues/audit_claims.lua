-- Audits claims: each is in three keys, which must agree.

-- @section audit_claims
-- Looks at claims: each is in three keys, and they agree.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: by which key to go, 3 held, 4 records, 2 leases; 3: where to go on, nothing at the beginning
-- returns  as audit_parts in audit.lua says
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

-- @section audit_claim
-- Looks at one claim, of which something is there.
-- @include parts_of
-- @include leases_in
-- @include audit_held
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
-- @include audit_give_up
local function check(token)
  local held = call('HGET', KEYS[3], token)
  local count, _, parts = held_of(held)
  local records, missing = '', false
  if count then
    for _, part in ipairs(call('HMGET', KEYS[4], unpack(parts_of(token, parts)))) do
      missing = missing or not part
    end
    records = records_of(token, parts)
  end
  local there = readable(records)
  looked = looked + #records + 300 * (there or 0) + 700
  if not count or missing or count ~= there then
    -- Who has which of its jobs is not known any more: they wait again, unless they do already.
    found(count and not missing and not there and UNREADABLE or CLAIM, token)
    if mend then
      give_up(token)
    end
    return
  end
  local expiries, left = leases_in(held)
  local score = call('ZSCORE', KEYS[2], token)
  local in_hand_still, least, i = 0, NEVER, 0
  for k = 1, count do
    if expiries[k] > 0 then
      in_hand_still, least = in_hand_still + 1, math.min(least, expiries[k])
    end
  end
  if left ~= in_hand_still or not score or score + 0 ~= least then
    found(CLAIM, token)
    if mend then
      ends = math.min(ends, claim_changed(token, expiries, in_hand_still, parts))
    end
  end
  readable(by == 3 and records or '', function(number, due, flags, at)
    i = i + 1
    if expiries[i] > 0 then
      local first_due = flags % 2 == 1 and read('>I7', records, at + 4) or due
      sighted(0, math.floor(flags / 16) % 4, first_due, 0, number, 1)
    end
  end)
end

-- @section audit_give_up
-- Takes apart a claim that does not fit together: its jobs wait again, and what can't be read is set aside.

-- The first field with records of a claim; nothing when there is none.
local function first_part(token)
  local fields = parts_of(token, MAX_PARTS)
  for i, there in ipairs(call('HMGET', KEYS[4], unpack(fields))) do
    if there then
      return fields[i]
    end
  end
end

-- What has ended of the jobs before what is missing is known, and of those after it, when it is known how many there were.
local function give_up(token)
  local held, parts = call('HGET', KEYS[3], token), call('HMGET', KEYS[4], unpack(parts_of(token, MAX_PARTS)))
  local count, _, many = held_of(held)
  local lost, all, i = 0, {}, 1
  while i <= MAX_PARTS do
    local runs = parts[i]
    if runs and not readable(runs) and parts[i + 1] and readable(runs .. parts[i + 1]) then
      -- A head, and its records.
      i, runs = i + 1, runs .. parts[i + 1]
    end
    if runs and readable(runs) then
      readable(runs, function(number, due, _, at, next)
        all[#all + 1] = {pack('>I6I7I2', number, due, 1) .. sub(runs, at, next - 1), lost}
      end)
    elseif runs or i <= (many or 0) then
      lost = lost + 1
      if runs then
        set_aside(runs)
      end
    end
    i = i + 1
  end
  local expiries = count and (lost > 0 or count == #all) and leases_in(held) or {}
  for k, one in ipairs(all) do
    local record, gap = one[1], one[2]
    local ended = gap == 0 and expiries[k] == 0 or gap > 0 and gap == lost and expiries[(count or 0) - #all + k] == 0
    if not ended and byte(record, 16) < 64 and not find_waiting(level_of(record), first_due_of(record), (read('>I6', record))) then
      wait_again(record, (read('>I7', record, 7)), 0, 0, 0)
    end
  end
  claim_ended(token, MAX_PARTS)
end
