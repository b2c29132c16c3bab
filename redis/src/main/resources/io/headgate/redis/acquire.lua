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
-- @include clock
local permits, look = tonumber(ARGV[2]), {}
-- @include algorithms
local reply, charges, allowed = {now}, {}, true
for i = 1, #KEYS do
  local at = i * 5 - 2
  local retry, remaining, reset, charge = look[ARGV[at]](KEYS[i], at)
  reply[i * 3 - 1], reply[i * 3], reply[i * 3 + 1] = remaining, retry, reset
  charges[i], allowed = charge, allowed and retry == 0
end
if allowed then
  for i = 1, #KEYS do
    reply[i * 3 - 1], reply[i * 3 + 1] = charges[i]()
  end
end
return reply
