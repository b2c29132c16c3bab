-- Looks at jobs in a sorted set, from the end on: each can be read, has the score and the priority that belong to it, and is
-- found by its id.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: which key; 3: at which rank to go on downwards, nothing at the beginning
-- returns  as audit_parts.lua says
-- costs    O(log n), and O(1) for each
-- @include calls
-- @include header_read
-- @include at_once
-- @include audit_parts
-- @include find_in_set
local key = ARGV[2] + 0
-- Where dead letters and done jobs are, by what an entry calls that.
local SETS = {7, #KEYS}
local own_state = key == 7 and 1 or key == #KEYS and 2 or 0
-- Of a job in two places one is where its entry says; audit_twice.lua tells of that.
local function leads_somewhere(record, place)
  if place and #place == 15 then
    local state, at = read('>BI7', place)
    return state < 3 and find_in_set(KEYS[SETS[state] or 9 + 2 * level_of(record)], (read('>I6', record)), at)
  end
end
local high = call('ZCARD', KEYS[key]) - 1
if #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local low = math.max(0, high - math.min(MAX_ONES, at_once()) + 1)
local members = high >= 0 and call('ZRANGE', KEYS[key], low, high, 'WITHSCORES') or {}
for i = 1, #members, 2 do
  local record, score = members[i], members[i + 1] + 0
  local level
  local n = readable(record, function(_, _, flags)
    level = flags < 64 and math.floor(flags / 16) % 4
  end)
  if n ~= 1 or not level or own_state == 0 and level ~= (key - 9) / 2 then
    found(UNREADABLE, record)
    if mend then
      call('ZREM', KEYS[key], record)
      set_aside(record)
    end
  else
    longest_seen = math.max(longest_seen, #record)
    local number, due = read('>I6I7', record)
    local first_due = first_due_of(record)
    local place, right = call('HGET', KEYS[6], sub(record, 1, 6)), nil
    if own_state > 0 or due ~= first_due then
      right = pack('>BI7I7', own_state, due, first_due)
    end
    if score ~= due then
      found(ORDER, record)
      if mend then
        call('ZADD', KEYS[key], string.format('%.0f', due), record)
      end
    end
    if right and place ~= right and not leads_somewhere(record, place) then
      found(PLACE, sub(record, 1, 6))
      if mend then
        call('HSET', KEYS[6], sub(record, 1, 6), right)
      end
    end
    sighted(key, level, first_due, mend and due or score, number, 1)
  end
end
return told(low > 0 and tostring(low - 1) or '')
