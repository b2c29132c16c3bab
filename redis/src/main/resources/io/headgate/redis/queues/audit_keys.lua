-- Looks at the entries that say which job has a key.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: where to go on, 0 at the beginning
-- returns  as audit_parts.lua says
-- costs    as cancel.lua for each, O(jobs in hand) once
-- @include calls
-- @include clock
-- @include header_read
-- @include audit_parts
-- @include audit_in_hand
-- @include audit_key_of
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
local function is_done(key, done)
  local record = byte(done) <= 2 and find_in_set(KEYS[#KEYS], read('>I6', done, 2), (read('>I7', done, 15)))
  return record and key_of(record) == key
end
local function is_active(key, active)
  local level, number, first_due = read('>BI6I7', active)
  if level > 2 then
    return false
  end
  local waits = find_waiting(level, first_due, number)
  if waits then
    return byte(waits) < 4 and key_of(sub(waits, 9)) == key
  end
  if leased > MAX_LOOKED_UP then
    found(0, key)
    return true
  end
  local claim = in_hand(number)[1]
  return claim and key_of(claim[3]) == key
end
-- What is right of what is noted.
local function right(key, noted)
  local active = (#noted == 14 or #noted == 35) and sub(noted, 1, 14) or ''
  local done = (#noted == 21 or #noted == 35) and sub(noted, #active + 1) or ''
  return (#active > 0 and is_active(key, active) and active or '') .. (#done > 0 and is_done(key, done) and done or '')
end
local page = call('HSCAN', KEYS[5], ARGV[2], 'COUNT', MAX_ONES)
for i = 1, #page[2], 2 do
  local is_right = right(page[2][i], page[2][i + 1])
  if is_right ~= page[2][i + 1] then
    found(KEY, page[2][i])
    if mend and #is_right > 0 then
      call('HSET', KEYS[5], page[2][i], is_right)
    elseif mend then
      call('HDEL', KEYS[5], page[2][i])
    end
  end
end
return told(page[1] == '0' and '' or page[1])
