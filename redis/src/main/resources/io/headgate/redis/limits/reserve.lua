-- Decides a request under one rule only, because the keys of its other rules may be in other slots of a Cluster. If
-- another rule denies the request, refund.lua refunds the charge.
--
-- Two scripts: reserve and reserve_with_id. Their KEYS, ARGV, reply and cost are described above their sections.
--
-- State      as acquire.lua. reserve_with_id stores its reply under the request id, a string: the fingerprint of the
--            request (16 bytes), the number of receivers (2), then the reply of reserve: the time (7), and two results
--            of the rule (18 each; leaky bucket 25)
-- Always     as acquire
--
-- Variables that cross sections are those of acquire.lua: packed_limits, position, permits, requests,
-- allowed, reply, key, rule_position, remaining, retry_micros, reset_micros, delay_micros, was_charged; and from
-- common.lua: call, pack, unpack, now.

-- @section reserve
-- Decides one request under one rule, and charges the rule when it admits. The reply also contains the result for the
-- case that another rule denies the request and this charge is refunded.
--
-- KEYS     the key of the rule
-- ARGV     as acquire, for that rule alone
-- Reply    as acquire; then a second result of the rule, for the case that another rule denies: as if nothing were
--          charged, or, if the rule counts attempts, after the attempt
-- Cost     as acquire; if the rule counts attempts, it is read once more after the charge
-- @include calls
-- @include clock
local packed_limits, position, permits, requests, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules

-- @section reserve_with_id
-- Decides one request with an id under one rule as reserve does, or returns the stored reply and charges nothing.
--
-- KEYS     the key of the rule, then that of the request id
-- ARGV     1 the limit, as for acquire; 2 permits asked for; 3 a fingerprint of the request (16 bytes); 4 how
--          long the reply is stored, in ms; last, in tests, the time
-- Reply    the fingerprint of the request that was decided under this id; the number of receivers, which are the
--          callers that got this reply and may rely on its charge (2 bytes; 65535 for that many or more);
--          then the reply of reserve
-- State    under the id, this reply: a string
-- Always   as reserve; the reply is stored if the rule admits, or denies only in shadow mode; of a rule that counts
--          attempts, always, unless no decision was possible. It is kept for the time in ARGV, or until its last
--          receiver refunds the charge
-- Cost     as reserve, a GET, and a SET where the reply is stored or a SETRANGE where it was found
-- @include calls
-- @include clock
local stored_reply = call('GET', KEYS[2])
if stored_reply then
  if #stored_reply < 61 then
    error('HEADGATE_FOREIGN not the answer to a request')
  end
  if now < unpack('>I7', stored_reply, 19) + ARGV[4] * 1000 then
    local receivers = unpack('>I2', stored_reply, 17)
    if receivers < 65535 and string.sub(stored_reply, 1, 16) == ARGV[3] then
      call('SETRANGE', KEYS[2], '16', pack('>I2', receivers + 1))
    end
    return stored_reply
  end
end
local packed_limits, position, permits, requests, allowed = ARGV[1], 1, ARGV[2] + 0, 1, true
local function decide()
  local reply = ''
  -- @include rules
end
stored_reply = ARGV[3] .. pack('>I2', 1) .. decide()
-- @include was_charged
if was_charged then
  call('SET', KEYS[2], stored_reply, 'PX', ARGV[4])
end
return stored_reply

-- @section reserve_rule
-- The only rule of reserve.
local key, rule_position = KEYS[RULE], position
local retry_micros, remaining, reset_micros
-- @include decide
-- @include combine
-- @include reserve_charge
-- @include ban_result
-- @include reply_first

-- @section reserve_charge
-- Adds the result for the case that another rule denies; then charges the rule when it admits.
-- @include not_charged
-- @include count_denial
-- @include reply
-- @include charge_if_allowed

-- @section reserve_charge_attempts
-- Charges a rule that counts attempts. If it admits and another rule denies, the request is an attempt with the same
-- charge. So the rule decides again after the charge, for the result in that case.
-- @include charge_if_allowed
local charged_remaining, charged_reset_micros, charged_delay_micros, rule_admitted = remaining, reset_micros,
  delay_micros, retry_micros == 0
if rule_admitted then
  position = rule_position
  -- @include decide_again
  -- @include not_charged
  if retry_micros > 0 then
    retry_micros = -1 - retry_micros
  end
end
-- @include reply
remaining, reset_micros, delay_micros = charged_remaining, charged_reset_micros, charged_delay_micros
if rule_admitted then
  retry_micros = 0
end
