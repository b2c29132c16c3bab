-- Looks at claims: each is in three keys, and they agree.
--
-- KEYS     as of claim.lua, then 14 what was set aside
-- ARGV     1: '1' to mend; 2: by which key to go, 3 held, 4 records, 2 leases; 3: where to go on, 0 at the beginning
-- returns  as audit_parts.lua says
-- costs    O(jobs) of each claim
-- @include calls
-- @include clock
-- @include header_read
-- @include put_back
-- @include leases_in
-- @include audit_parts
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
local by = ARGV[2] + 0
local function check(token)
  local held, records = call('HGET', KEYS[3], token), call('HGET', KEYS[4], token)
  local score = call('ZSCORE', KEYS[2], token)
  local there = records and readable(records)
  if not there then
    found(records and UNREADABLE or CLAIM, token)
    if mend then
      if records then
        set_aside(records)
      end
      claim_ended(token)
    end
    return
  end
  local count = held and #held >= 11 and read('>I2', held)
  if count ~= there or #held ~= 11 and #held ~= 4 + 7 * count then
    -- Who has which of its jobs is not known any more: they wait again, unless they do already.
    found(CLAIM, token)
    local each = mend and jobs_in(records)
    for i = 1, mend and there or 0 do
      local record = each(i)
      if not find_waiting(level_of(record), first_due_of(record), (read('>I6', record))) then
        wait_again(record, (read('>I7', record, 7)), 0, 0, 0)
      end
    end
    if mend then
      claim_ended(token)
    end
    return
  end
  local expiries, left = leases_in(held)
  local in_hand_still, least, i = 0, NEVER, 0
  for k = 1, count do
    if expiries[k] > 0 then
      in_hand_still, least = in_hand_still + 1, math.min(least, expiries[k])
    end
  end
  if left ~= in_hand_still or not score or score + 0 ~= least then
    found(CLAIM, token)
    if mend then
      ends = math.min(ends, claim_changed(token, expiries, in_hand_still))
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
local page = call(by == 2 and 'ZSCAN' or 'HSCAN', KEYS[by], ARGV[3], 'COUNT', by == 4 and 5 or 10)
for i = 1, #page[2], 2 do
  -- Each is looked at once: by the first of these that has it.
  local token = page[2][i]
  local had = by ~= 3 and call('HEXISTS', KEYS[3], token) == 1 or by == 2 and call('HEXISTS', KEYS[4], token) == 1
  if not had then
    check(token)
  end
end
if #findings > 0 and mend then
  -- @include header_write
end
return told(page[1] == '0' and '' or page[1])
