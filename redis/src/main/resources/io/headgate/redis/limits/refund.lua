-- Refunds permits to the rules of a policy: those of one decision, those of a request with an id, or the oldest ones.
--
-- Two scripts: refund and refund_with_id. Their KEYS, ARGV, reply and cost are described above their sections.
--
-- State      refund stores a record of a refunded decision: an empty string, which expires a minute after the
--            charge no longer counts under any rule. refund_with_id changes or deletes the reply that reserve_with_id
--            stored: the fingerprint (16 bytes), the number of receivers (2; 65535 for that many or
--            more), the time of the decision (7), the results
-- Always     everything is read before anything is written, and nothing fails after the first write; a decision
--            that has a record is not refunded again
--
-- Variables that cross sections. From common.lua: call, pack, unpack, now. RULES is how many rules the call names.
--   permits               permits to refund
--   allowed               nil if the caller passed calendar periods that do not contain the time: then nothing is
--                         refunded
--   any_refunded          whether any rule has refunded anything
--   counted_until_micros  the time from which the charge counts under no rule, us since 1970
--   reply                 the packed results of the rules after this one
--   key                   the key of the rule
--   packed_limits         the packed limit of the rule, then the two times below (7 bytes each)
--   position              the next byte of packed_limits to read, from 1
--   charged_at_micros     when the permits were charged, us since 1970; 0 for the oldest ones
--   reset_at_micros       when all permits would have been available again after that charge, us since 1970
--   refunded              permits that this rule refunds
--   reset_micros          us from now to a time in the right periods of a calendar window; 0 if these were sent

-- @section refund
-- Refunds permits to some rules: those that a decision charged, or the oldest that still count.
--
-- KEYS     the key of each rule; then, for a decision that must not be refunded twice, the key of its record
-- ARGV     1 permits to refund; from 2 on the limit of each rule, as for acquire, followed by: when the permits
--          were charged, us since 1970 (7 bytes), 0 for the oldest; when all permits would have been available
--          again after that charge (7); last, in tests, the time in microseconds since 1970
-- Reply    one string: the time (7 bytes), then for each rule: permits refunded (4), or 2^32 - 1 if the periods of a
--          calendar window do not contain the time; us from now to a time in the right periods, with which the caller
--          sends the refund again (7)
-- Cost     TIME, and for each rule what its file reads, and a write; with a record a GET, and a SET where
--          anything was refunded
-- @include calls
-- @include clock
local record_key, any_refunded, counted_until_micros = KEYS[RULES + 1], false, 0
if record_key and call('GET', record_key) then
  -- A result of 11 zero bytes for each rule: it refunds nothing.
  return pack('>I7', now) .. string.rep('\0', RULES * 11)
end
local permits, allowed = ARGV[1] + 0, true
local reply = ''
-- @include rules
if record_key and any_refunded then
  -- All permits of any limit are available again after at most ten years.
  local left_millis = math.min(math.ceil((counted_until_micros - now) / 1000), 316224000000)
  call('SET', record_key, '', 'PX', string.format('%d', left_millis + 60000))
end
return pack('>I7', now) .. reply

-- @section refund_with_id
-- Refunds the charge of a request with an id that reserve_with_id decided under one rule, and deletes the stored
-- reply. If other callers have received that reply, too, the script only lowers their number and refunds nothing.
--
-- KEYS     the key of the rule, then that of the request id
-- ARGV     1 permits, 0 to delete only the reply; 2 the limit and the charge, as for refund; 3 the fingerprint of
--          the request (16 bytes); 4 how many of the callers that received the reply refund it: 1, or 65535 for
--          all; last, in tests, the time
-- Reply    as refund
-- Always   as refund; a reply that is absent, or of another request or charge, refunds nothing
-- Cost     as refund, a GET, and an UNLINK or SETRANGE
-- @include calls
-- @include clock
local packed_limit = ARGV[2]
local stored_reply = call('GET', KEYS[2])
if not stored_reply or #stored_reply < 61 or string.sub(stored_reply, 1, 16) ~= ARGV[3]
  or unpack('>I7', stored_reply, 19) ~= unpack('>I7', packed_limit, #packed_limit - 13) then
  return pack('>I7I4I7', now, 0, 0)
end
local receivers = unpack('>I2', stored_reply, 17)
if receivers == 65535 and ARGV[4] ~= '65535' then
  return pack('>I7I4I7', now, 0, 0)
end
if receivers > ARGV[4] + 0 then
  call('SETRANGE', KEYS[2], '16', pack('>I2', receivers - ARGV[4]))
  return pack('>I7I4I7', now, 0, 0)
end
local permits, allowed, any_refunded, counted_until_micros = ARGV[1] + 0, true, false, 0
if permits == 0 then
  call('UNLINK', KEYS[2])
  return pack('>I7I4I7', now, 0, 0)
end
local reply = ''
-- @include rules
if allowed then
  call('UNLINK', KEYS[2])
end
return pack('>I7', now) .. reply

-- @section refund_rule
-- One rule of refund, with the rules after it nested at next_rule. So all rules are read before any is written.
local key, packed_limits, position = KEYS[RULE], ARGV[RULE + 1], 1
local charged_at_micros, reset_at_micros = unpack('>I7I7', packed_limits, #packed_limits - 13)
if reset_at_micros > counted_until_micros then
  counted_until_micros = reset_at_micros
end
if charged_at_micros > 0 and now >= reset_at_micros then
  -- The charge has expired, even if the window is longer now. A charge time of 1 us after 1970 is in no window.
  charged_at_micros, reset_at_micros = 1, 1
end
local refunded, reset_micros = 0, 0
-- Here refund, and write below, are the parts of the rule's kind, such as bucket_refund, not the section refund above.
-- @include refund
-- @include next_rule
if allowed and refunded > 0 then
  any_refunded = true
  -- @include write
end
reply = pack('>I4I7c0', refunded, reset_micros, reply)
