-- Decides requests: one, one with an id, or several under one policy.

-- @section acquire
-- Decides one request under all rules of a policy: charges every rule, or none.
--
-- KEYS     the key of each rule
-- ARGV     the limits of all rules in one, each packed as the file of its kind says, for one argument costs Redis less
--          than several; then permits asked for, if it is not one; and in tests, the time in microseconds since 1970
-- returns  a string, which costs Redis less than a list of numbers: the time (7 bytes), then for each rule: permits
--          remaining (4); microseconds until the request would be admitted, 0 when it is, -1 when it never would be, and
--          -1 - n when this rule admitted it, but has counted the attempt and would admit the same one only in n (7);
--          microseconds until the limit is whole again (7)
-- keeps    everything is read and decided before anything is written, and nothing can fail after the first write
-- cost     TIME, and for each rule the calls that its file names
-- @include calls
-- @include clock
local limits, at, permits, many, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules

-- @section acquire_rule
-- One rule of acquire, with the rules after it inside: all look on the way in, and are charged on the way out. So a
-- rule's local variables are still there when it is charged, and no function or table is needed to keep them.
--
-- RULE     which one
local key, begins = KEYS[RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include next
-- @include settle
-- @include reply

-- @section acquire_once
-- Decides one request that has an id, as acquire does; or answers what it was answered before, and charges nothing.
--
-- KEYS     the key of each rule, then that of the id
-- ARGV     1 the limits, as for acquire; 2 permits asked for; 3 what tells this request from others (16 bytes); 4 how long
--          the answer is kept, in ms; and in tests, the time
-- state    under the id, what is returned: a string
-- returns  what tells the request from others that was decided under this id, and then what acquire returned for it
-- keeps    as acquire; an answer is kept if anything was charged
-- cost     as acquire, a GET, and a SET where it is kept
-- @include calls
-- @include clock
local answer = call('GET', KEYS[RULES + 1])
if answer then
  if #answer < 41 then
    error('HEADGATE_FOREIGN not the answer to a request')
  end
  if now < unpack('>I7', answer, 17) + ARGV[4] * 1000 then
    return answer
  end
end
local limits, at, permits, many, allowed = ARGV[1], 1, ARGV[2] + 0, 1, true
local function decide()
  local reply = ''
  -- @include rules
end
answer = ARGV[3] .. decide()
-- @include charged
if charged then
  call('SET', KEYS[RULES + 1], answer, 'PX', ARGV[4])
end
return answer

-- @section acquire_all
-- Decides requests one after the other, each as acquire does. Several that ask for the same are one step: as many of them as
-- there is room for are charged together, and the rest is denied. A request at which something fails does not keep the
-- others from being decided.
--
-- KEYS     the key of each rule of the first request, then of the second, and so on
-- ARGV     1 the limits, as for acquire; then, unless each is one request for one permit, for each step: permits asked for by
--          each (4 bytes), how many ask (2); and in tests, the time (7)
-- returns  the time (7 bytes); then for each step what acquire says after the time. Where several asked, before it how many
--          were admitted (2): what is said is said to the last of these, and again to the others, if some of them were and
--          not all. A step that failed: 2^32 - 2 (4), and the error behind its length (2). One that must be asked alone, as
--          it would write more entries of sliding windows wider than are spared for that: in a rule, 2^32 - 1 remain
-- keeps    of each step everything is read and decided before anything is written
-- cost     as acquire for each step, or twice of that where not all who asked were admitted; the command itself once
-- @include calls
-- @include clock
local limits, steps, rules, said, step = ARGV[1], ARGV[2], RULES, {''}, 0
-- How many entries this call may still write wider: some 0.6 ms.
local spare = 4096
local total = #KEYS / rules
local function decide()
  while step < total do
    local base, at, permits, many, allowed, wide, reply = step * rules, 1, 1, 1, true, 0, ''
    step = step + 1
    -- @include step
    local asked, least, admitted, answer = many, 4294967295, many, ''
    while answer do
      -- @include rules
      -- @include charged
      if charged then
        spare, wide = spare - wide, 0
      end
      if asked == 1 then
        said[step + 1], answer = reply, nil
      elseif answer ~= '' or admitted == 0 or admitted == asked then
        said[step + 1], answer = pack('>I2', admitted) .. answer .. reply, nil
      else
        -- There are others, for whom nothing is left.
        answer, allowed, many, at, permits, reply = reply, false, 1, 1, permits / admitted, ''
      end
    end
  end
end
while step < total do
  local fine, problem = pcall(decide)
  if not fine then
    problem = type(problem) == 'table' and problem.err or tostring(problem)
    said[step + 1] = pack('>I4I2', 4294967294, #problem) .. problem
  end
end
said[1] = pack('>I7', now)
return said

-- @section acquire_all_rule
-- One rule of a step of acquire_all, with the rules after it inside, as in acquire.
--
-- RULE     which one
local key, begins = KEYS[base + RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include spare
if remaining < least then
  least = remaining
end
-- @include next
-- @include settle
-- @include several
-- @include reply

-- @section admit_all
-- Of several who ask for the same, as many are charged together as all rules have room for.
if many > 1 then
  admitted = allowed and math.min(many, math.floor(least / permits)) or 0
  permits = allowed and permits * admitted or permits
end

-- @section step
-- What a step asks for.
if steps then
  permits, many = unpack('>I4I2', steps, base / rules * 6 + 1)
end

-- @section step_given
-- What a step asks for, and at what time.
permits, many, now = unpack('>I4I2I7', steps, base / rules * 13 + 1)

-- @section clock_of_step
-- now: microseconds since 1970, as a test passes it in with each step
local now = 0

-- @section verdict
-- A rule that denies; one in the shadow does not. Where nothing can be decided, allowed is nil, and stays so.
allowed = allowed and retry == 0

-- @section settle
-- Charges what all rules admit.
if allowed then
  -- @include charge
else
  -- @include uncharged
end

-- @section settle_attempts
-- Charges a rule under which attempts count: with what all admit, or with the attempt, and then it looks again. An attempt
-- is charged as if it were admitted, but with no more permits than bring the count to the limit. Where this rule admitted,
-- and since the attempt would not, it says so in the retry.
if allowed and retry == 0 then
  -- @include charge
elseif allowed ~= nil then
  local admitted = retry == 0
  do
    local permits = permits
    -- @include attempt
    if permits > 0 then
      -- @include charge
    end
  end
  at = begins
  -- @include look
  -- @include uncharged
  if admitted and retry > 0 then
    retry = -1 - retry
  end
else
  -- @include uncharged
end

-- @section settle_shadow
-- Charges a rule in the shadow with what the others admit, if it would admit it too.
if allowed and retry == 0 then
  -- @include charge
else
  -- @include uncharged
end

-- @section charged
-- Whether the request was charged: admitted.
local charged = allowed

-- @section charged_attempts
-- Whether the request was charged: admitted or, under rules that count attempts, denied.
local charged = allowed ~= nil

-- @section reply
-- What a rule says, before those after it.
reply = pack('>I4i7I7c0', remaining, retry, reset, reply)

-- @section reply_first
-- What the first rule says, after the time: with this the script ends.
return pack('>I7I4i7I7', now, remaining, retry, reset) .. reply
