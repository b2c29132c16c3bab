-- Acquires a hold of some permits under all rules of a policy, or under none.
--
-- KEYS       the key of each rule
-- ARGV       1 the id of the hold (16 bytes); 2 permits, 1 to 100; 3 the lease, us; 4 how long a key must live, ms;
--            5 how many permits each rule allows, 4 bytes each; last, in tests, the time, us since 1970
-- Reply      a string: the time (7 bytes); 1 when the hold was acquired now or before, else 0 (1); then for each rule:
--            permits held, including those of the hold (4); when the first of them expires, 0 when none is held (7)
-- State      each key is a sorted set. For each permit that is held a member: the id of its hold and the number of the
--            permit in the hold from 0 (1 byte); the score is when it expires, us since 1970
-- Always     everything is decided before anything is written, and nothing fails after the first write. A
--            hold that exists acquires nothing more, so a repeated request has no further effect
-- Cost       TIME, and for each rule, whose key has N permits with the expired ones, ZCOUNT, ZRANGEBYSCORE and ZSCORE;
--            when acquired also ZADD, ZCARD, PTTL, seldom PEXPIRE, and ZREMRANGEBYRANK if permits have expired. ZCARD and
--            PTTL are O(1), the others O(log N), ZADD for each of up to 100 permits; up to 200 expired permits are removed
--
-- Variables that cross sections. From common.lua, which describes them: call, pack, decode, FIRST_PERMIT,
-- MAX_REMOVED, as_score, now, is_held, held_permits, first_expiry, packed_counts. For common.lua:
--   key          a key of KEYS
--   ttl_millis   how long it must live from now on, ms

-- @section acquire
-- Acquires the hold if every rule has room for its permits.
-- @include calls
-- @include clock
local hold_id, permits, allowed = ARGV[1], ARGV[2] + 0, true
local expires_at, ttl_millis, packed_limits = now + ARGV[3], ARGV[4] + 0, ARGV[5]
-- @include count_held
local exists = {}
for i, key in ipairs(KEYS) do
  exists[i] = is_held(call('ZSCORE', key, hold_id .. FIRST_PERMIT))
  allowed = allowed and (exists[i] or held_permits[i] + permits <= decode('>I4', packed_limits, i * 4 - 3))
end
for i, key in ipairs(KEYS) do
  if allowed and not exists[i] then
    local expired_permits = call('ZCARD', key) - held_permits[i]
    if expired_permits > 0 then
      call('ZREMRANGEBYRANK', key, 0, math.min(expired_permits, MAX_REMOVED) - 1)
    end
    local scores_and_members, score = {}, as_score(expires_at)
    for n = 1, permits do
      scores_and_members[2 * n - 1], scores_and_members[2 * n] = score, hold_id .. string.char(n - 1)
    end
    call('ZADD', key, unpack(scores_and_members))
    -- @include extend_key_ttl
    held_permits[i] = held_permits[i] + permits
    first_expiry[i] = first_expiry[i] > 0 and math.min(first_expiry[i], expires_at) or expires_at
  end
end
return pack('>I7B', now, allowed and 1 or 0) .. packed_counts()
