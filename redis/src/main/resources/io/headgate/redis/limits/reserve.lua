-- Decides one rule whose key is in another slot than those of the other rules; what it charges may be refunded.

-- @section reserve
-- Decides one request under one rule of a policy whose rules are decided apart, as their keys lie in several slots: charges
-- it when it admits, and says besides what it says where others deny and the charge is given back.
--
-- KEYS     the key of the rule
-- ARGV     as acquire, of that rule alone
-- returns  what acquire does; then once more what the rule says, where others deny: as if it had charged nothing, or under
--          attempts that count, after the attempt
-- keeps    as acquire
-- cost     as acquire; under attempts that count what is charged is read once more
-- @include calls
-- @include clock
local limits, at, permits, many, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules

-- @section reserve_once
-- Decides one request that has an id under one rule that is decided apart, as reserve does; or answers what the rule answered
-- before, and charges nothing.
--
-- KEYS     the key of the rule, then that of the id
-- ARGV     1 the limit, as for acquire; 2 permits asked for; 3 what tells this request from others (16 bytes); 4 how long
--          the answer is kept, in ms; and in tests, the time
-- state    under the id, what is returned: a string
-- returns  what tells the request from others that was decided under this id; how many were told the answer and may be
--          admitted by it (2); and then what reserve returned for it
-- keeps    as reserve; an answer is kept if anything was charged, until the last who was told it gives it back
-- cost     as reserve, a GET, and a SET where it is kept, or a SETRANGE where it was
-- @include calls
-- @include clock
local answer = call('GET', KEYS[2])
if answer then
  if #answer < 61 then
    error('HEADGATE_FOREIGN not the answer to a request')
  end
  if now < unpack('>I7', answer, 19) + ARGV[4] * 1000 then
    local told = unpack('>I2', answer, 17)
    if told < 65535 and string.sub(answer, 1, 16) == ARGV[3] then
      call('SETRANGE', KEYS[2], '16', pack('>I2', told + 1))
    end
    return answer
  end
end
local limits, at, permits, many, allowed = ARGV[1], 1, ARGV[2] + 0, 1, true
local function decide()
  local reply = ''
  -- @include rules
end
answer = ARGV[3] .. pack('>I2', 1) .. decide()
-- @include charged
if charged then
  call('SET', KEYS[2], answer, 'PX', ARGV[4])
end
return answer

-- @section reserve_rule
-- The only rule of reserve: looks, and is charged when it admits.
local key, begins = KEYS[RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include reserving
-- @include reply_first

-- @section reserving
-- Charges a rule that is decided apart; before that it says what is so where others deny.
-- @include uncharged
-- @include reply
-- @include settle

-- @section reserving_attempts
-- Charges a rule that is decided apart and counts attempts. Where it admits and others deny, that is an attempt: the charge
-- is the same, and what is so then it says when it has looked again.
-- @include settle
local charged_remaining, charged_reset, charged_delay, admitted = remaining, reset, delay, retry == 0
if admitted then
  at = begins
  -- @include look
  -- @include uncharged
  if retry > 0 then
    retry = -1 - retry
  end
end
-- @include reply
remaining, reset, delay = charged_remaining, charged_reset, charged_delay
if admitted then
  retry = 0
end
