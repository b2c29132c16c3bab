-- Decides one request under all rules of a policy: charges every rule, or none.
--
-- KEYS     the key of each rule
-- ARGV[1]  the time in microseconds since 1970, or '' for Redis's own
-- ARGV[2]  permits asked for
-- ARGV[3]  and 4 more for each rule: its kind and the four arguments of that kind (see its file)
-- returns  the time, then for each rule: permits remaining; microseconds until the request would be admitted,
--          0 when it is, -1 when it never would be; microseconds until the limit is whole again
-- keeps    everything is read and decided before anything is written, and nothing can fail after the first write
-- cost     TIME, and for each rule the calls that its file names
local look, charge = {}, {}
-- @include algorithms
-- @include clock
local permits = tonumber(ARGV[2])

if #KEYS == 1 then
  local kind = ARGV[3]
  local function answer(retry, remaining, reset, ...)
    if retry == 0 then
      remaining, reset = charge[kind](KEYS[1], 3, permits, now, remaining, ...)
    end
    return {now, remaining, retry, reset}
  end
  return answer(look[kind](KEYS[1], 3, permits, now))
end

local looks, reply, allowed = {}, {now}, true
for i = 1, #KEYS do
  local at = i * 5 - 2
  local seen = {look[ARGV[at]](KEYS[i], at, permits, now)}
  looks[i] = seen
  allowed = allowed and seen[1] == 0
end
for i = 1, #KEYS do
  local at, seen = i * 5 - 2, looks[i]
  local remaining, reset = seen[2], seen[3]
  if allowed then
    remaining, reset = charge[ARGV[at]](KEYS[i], at, permits, now, remaining, unpack(seen, 4))
  end
  reply[i * 3 - 1], reply[i * 3], reply[i * 3 + 1] = remaining, seen[1], reset
end
return reply
