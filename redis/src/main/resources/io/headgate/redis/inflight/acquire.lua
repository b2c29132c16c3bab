-- Acquires a hold under all rules of a policy, or under none.

-- @section acquire
-- Takes permits under each rule of a policy, or under none.
--
-- KEYS     the key of each rule
-- ARGV     1 the id of the hold (16 bytes); 2 permits asked for, 1 to 100; 3 the lease in us; 4 for how long a key is kept, in
--          ms; 5 the permits of all rules, 4 bytes each; and in tests, the time in microseconds since 1970
-- state    under each key a sorted set: for each permit that is held a member, the id of its hold and which of its permits it is
--          (1 byte), by when it expires, in us
-- returns  a string: the time (7 bytes); 1 when the permits were taken (1); then of each rule: permits held, with these (4);
--          when the first of them expires, 0 when none is held (7)
-- keeps    everything is read and decided before anything is written, and nothing can fail after the first write. A hold
--          that is there already takes nothing more, so to ask twice is the same as to ask once
-- cost     TIME, and for each rule of N permits: ZCOUNT, ZRANGEBYSCORE, ZSCORE; where it takes, also ZADD, ZCARD, PTTL, and
--          seldom PEXPIRE; each O(log N), and up to 100 times that for many permits, or for leases that were never renewed
-- @include calls
-- @include clock
local id, permits, allowed = ARGV[1], ARGV[2] + 0, true
local expires, rest, limits = now + ARGV[3], ARGV[4] + 0, ARGV[5]
-- @include look
local taken = {}
for i, key in ipairs(KEYS) do
  taken[i] = is_held(call('ZSCORE', key, id .. FIRST))
  allowed = allowed and (taken[i] or held[i] + permits <= read('>I4', limits, i * 4 - 3))
end
for i, key in ipairs(KEYS) do
  if allowed and not taken[i] then
    local expired = call('ZCARD', key) - held[i]
    if expired > 0 then
      call('ZREMRANGEBYRANK', key, 0, math.min(expired, MOST_REMOVED) - 1)
    end
    local scored, at = {}, text(expires)
    for n = 1, permits do
      scored[2 * n - 1], scored[2 * n] = at, id .. string.char(n - 1)
    end
    call('ZADD', key, unpack(scored))
    -- @include live
    held[i] = held[i] + permits
    soonest[i] = soonest[i] > 0 and math.min(soonest[i], expires) or expires
  end
end
return pack('>I7B', now, allowed and 1 or 0) .. counts()
