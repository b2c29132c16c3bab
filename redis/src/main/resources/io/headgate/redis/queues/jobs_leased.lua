-- Shows jobs that are in hand, claim by claim, by when the first lease of each ends.
--
-- KEYS     as of claim.lua
-- ARGV     1: where to go on, nothing at the beginning: 7 bytes when the first lease of a claim ends, 2 after which of its
--          jobs, 12 its token; 2: how many to show at most
-- returns  1 byte whether there are more, 21 where to go on; of each job 7 when its lease ends, and a run of one
-- costs    O(log n), O(jobs) of each claim, of which at most 100 are looked at
-- @include calls
-- @include header_read
-- @include leases_in
local MAX_SHOWN_CLAIMS = 100
local most, bytes, shown, more, place = ARGV[2] + 0, 0, {}, false, string.rep('\0', 21)
local rank, skipped = 0, 0
if #ARGV[1] > 0 then
  local at, passed = read('>I7I2', ARGV[1])
  local token = sub(ARGV[1], 10)
  local score = call('ZSCORE', KEYS[2], token)
  if score and score + 0 == at then
    rank, skipped = call('ZRANK', KEYS[2], token), passed
  else
    rank = call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', at))
  end
end
local claims = call('ZRANGE', KEYS[2], rank, rank + MAX_SHOWN_CLAIMS - 1, 'WITHSCORES')
for c = 1, #claims, 2 do
  local token, at = claims[c], claims[c + 1] + 0
  local held, records = call('HGET', KEYS[3], token), call('HGET', KEYS[4], token)
  local expiries = held and records and leases_in(held) or {}
  local job = #expiries > 0 and jobs_in(records)
  for i = skipped + 1, #expiries do
    if expiries[i] > 0 then
      if #shown == most or bytes >= MAX_BYTES then
        more = true
        break
      end
      shown[#shown + 1] = pack('>I7', expiries[i]) .. job(i)
      bytes = bytes + #shown[#shown]
    end
    place = pack('>I7I2', at, i) .. token
  end
  if more then
    break
  end
  skipped = 0
end
more = more or #claims == 2 * MAX_SHOWN_CLAIMS
return (more and '\1' or '\0') .. place .. table.concat(shown)
