-- Decides requests under the rules of a policy: a single request, a request with an id, or a batch. Also decides one
-- request under the rules of several policies.
--
-- Four scripts: acquire, acquire_with_id, acquire_batch and acquire_combined. Their KEYS, ARGV, reply and cost are
-- described above their sections. A script is assembled for the kinds of the policy's rules: the section of each rule
-- is nested in that of the rule before it. First all rules decide, from the outermost to the innermost; then they are
-- charged, from the innermost to the outermost. The local variables of each rule are still in scope then, so no table
-- or closure has to keep them. A rule's section has several parts, which other sections include by their names: the
-- first is decide; the part charge follows the line @charge, and so on.
--
-- State      each rule's file describes its key. acquire_with_id stores its reply under the request id, a string: a
--            fingerprint of the request (16 bytes: 8 of a hash of the permits and the ids of all rules, 8 of a hash of
--            the rules), then the reply of acquire: the time (7), and the result of each rule (18; leaky bucket 25)
-- Always     all rules decide before anything is written, and nothing fails after the first write. A rule that counts
--            attempts and charges one decides again after that
-- Errors     HEADGATE_FOREIGN: the key has a value that Headgate did not store
-- Units      times and durations are microseconds unless a name states another unit; RULE is the number of a rule and
--            RULES the number of the policy's rules, both filled in when the script is assembled
--
-- Variables that cross sections. From common.lua: call, pack, unpack, now.
--   The request:
--   packed_limits     the limits of all rules in one string, as each rule's file describes its own
--   position          where in packed_limits the limit of the next rule begins, in bytes from 1
--   permits           permits that each request asks for; in a batch, after limit_batch, those of all admitted ones if
--                     there are any
--   allowed           whether all rules decided so far admit the request; nil when no decision is possible
--   reply             the packed results of the rules after this one
--   packed_permits    in a combined request, the permits of each rule as ARGV has them, or nil where each is 1
--   The rule:
--   key               its Redis key
--   rule_position     where its limit begins in packed_limits
--   remaining         permits that are available under the rule
--   retry_micros      0 when the rule admits; -1 when it never will; else after how long; below -1: see acquire
--   reset_micros      after how long all permits are available again
--   ban               the ban of the key, or nil; see ban_rules.lua
--   The batch:
--   packed_steps      the steps as ARGV has them, or nil when each is one request for one permit
--   rule_count        how many rules the policy has
--   key_offset        how many of KEYS belong to earlier steps
--   requests          how many equal requests the rules decide in this pass over them; 1 outside batches
--   least_remaining   the fewest permits that are available under any rule
--   admitted_count    how many requests of the step are admitted
--   widen_budget      how many sliding window entries this call may still rewrite wider
--   widened           how many of these entries the current step would rewrite
--   was_charged       whether the request was admitted, or was charged as an attempt

-- @section acquire
-- Decides one request under all rules of a policy: charges every rule, or none.
--
-- KEYS     the key of each rule
-- ARGV     1 the limits of all rules, each packed as its file describes: one argument costs Redis less than
--          several; 2 permits asked for, if not 1; last, in tests, the time in microseconds since 1970
-- Reply    one string, which costs Redis less than a list: the time (7 bytes), then for each rule: permits
--          remaining (4); retry (7, signed); microseconds until all permits are available again (7). retry is 0
--          when the rule admits, -1 when it never will, otherwise the microseconds until it would. -1 - n: this rule
--          admitted, but another denied, the attempt was charged, and the same request would be admitted in n
-- Cost     TIME, and for each rule the calls that its file names; the reads once more after the charge of an attempt
-- @include calls
-- @include clock
local packed_limits, position, permits, requests, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules

-- @section acquire_rule
-- One rule of acquire, with the rules after it nested at next_rule.
local key, rule_position = KEYS[RULE], position
local retry_micros, remaining, reset_micros
-- @include decide
-- @include combine
-- @include next_rule
-- @include charge_if_allowed
-- @include count_denial
-- @include reply

-- @section acquire_with_id
-- Decides one request with an id as acquire does, or returns the stored reply and charges nothing.
--
-- KEYS     the key of each rule, then that of the request id
-- ARGV     1 the limits, as for acquire; 2 permits asked for; 3 a fingerprint of the request (16 bytes); 4 how
--          long the reply is stored, in ms; last, in tests, the time
-- Reply    the fingerprint of the request that was decided under this id, then the reply of acquire to that request
-- State    under the id, this reply: a string
-- Always   as acquire; the reply is stored if the request was admitted, or was charged as an attempt
-- Cost     as acquire, a GET, and a SET where the reply is stored
-- @include calls
-- @include clock
local stored_reply = call('GET', KEYS[RULES + 1])
if stored_reply then
  if #stored_reply < 41 then
    error('HEADGATE_FOREIGN not the answer to a request')
  end
  if now < unpack('>I7', stored_reply, 17) + ARGV[4] * 1000 then
    return stored_reply
  end
end
local packed_limits, position, permits, requests, allowed = ARGV[1], 1, ARGV[2] + 0, 1, true
local function decide()
  local reply = ''
  -- @include rules
end
stored_reply = ARGV[3] .. decide()
-- @include was_charged
if was_charged then
  call('SET', KEYS[RULES + 1], stored_reply, 'PX', ARGV[4])
end
return stored_reply

-- @section acquire_combined
-- Decides one request under the rules of several policies: charges every rule, or none. Each policy may be asked for
-- another number of permits.
--
-- KEYS     the key of each rule, ordered by the rules' types, so those of one policy need not be adjacent; no key twice
-- ARGV     1 the limits, as for acquire; 2 permits asked for under each rule (4 bytes each), absent when all
--          numbers are 1; last, in tests, the time
-- Reply    as acquire
-- Always   as acquire
-- Cost     as acquire
-- @include calls
-- @include clock
local packed_limits, packed_permits, position, requests, allowed = ARGV[1], ARGV[2], 1, 1, true
local reply = ''
-- @include rules

-- @section acquire_combined_rule
-- One rule of acquire_combined, with the rules after it nested at next_rule.
local key, rule_position = KEYS[RULE], position
local permits = packed_permits and unpack('>I4', packed_permits, RULE * 4 - 3) or 1
local retry_micros, remaining, reset_micros
-- @include decide
-- @include combine
-- @include next_rule
-- @include charge_if_allowed
-- @include count_denial
-- @include reply

-- @section acquire_batch
-- Decides requests one after the other, each as acquire does. Equal requests are one step: as many of them as fit are
-- charged at the same time, and the others are denied. An error in one step does not affect the other steps.
--
-- KEYS     the key of each rule of the first step, then of the second, and so on
-- ARGV     1 the limits, as for acquire; 2 the steps, absent when each is one request for one permit: permits
--          of each request (4 bytes), how many requests (2), and in tests the time (7)
-- Reply    a list. The time (7 bytes); then for each step the results of the rules as acquire returns them
--          after its time. Before the results of a step of several requests, how many were admitted (2). The results
--          are those of the last admitted request; if others were denied, the results of these follow. If none was
--          admitted, there are only the results of the denied ones. In the first results of such a step, two more
--          fields follow the result of each bucket, see bucket_batch_reply.
--          A step with an error: 2^32 - 2 (4), the length of the message (2), the message. A step that must be
--          sent alone, because it would rewrite more sliding window entries than widen_budget allows, or because the
--          periods of a calendar window do not contain the time: the remaining permits of a rule are 2^32 - 1
-- Always   as acquire, for each step
-- Cost     TIME once, and the other calls of acquire for each step; a step that is admitted in part is read twice
-- @include calls
-- @include clock
local packed_limits, packed_steps, rule_count, replies, step = ARGV[1], ARGV[2], RULES, {''}, 0
-- How many entries this call may still rewrite wider; 4096 take about 0.6 ms.
local widen_budget = 4096
local step_count = #KEYS / rule_count
local function decide()
  while step < step_count do
    local key_offset, position, permits, requests, allowed, widened, reply = step * rule_count, 1, 1, 1, true, 0, ''
    step = step + 1
    -- @include read_step
    -- admitted_reply: '' in the first pass, the results of the admitted requests in the second, nil at the end.
    local step_requests, least_remaining, admitted_count, admitted_reply = requests, 4294967295, requests, ''
    while admitted_reply do
      -- @include rules
      -- @include was_charged
      if was_charged then
        widen_budget, widened = widen_budget - widened, 0
      end
      if step_requests == 1 then
        replies[step + 1], admitted_reply = reply, nil
      elseif admitted_reply ~= '' or admitted_count == 0 or admitted_count == step_requests then
        replies[step + 1], admitted_reply = pack('>I2', admitted_count) .. admitted_reply .. reply, nil
      else
        -- Some were admitted. Decide again, now after their charge, for the result of the denied ones.
        admitted_reply, allowed, requests, position, permits, reply = reply, false, 1, 1, permits / admitted_count, ''
      end
    end
  end
end
while step < step_count do
  local ok, failure = pcall(decide)
  if not ok then
    failure = type(failure) == 'table' and failure.err or tostring(failure)
    replies[step + 1] = pack('>I4I2', 4294967294, #failure) .. failure
  end
end
replies[1] = pack('>I7', now)
return replies

-- @section acquire_batch_rule
-- One rule of a step of acquire_batch, with the rules after it nested at next_rule.
local key, rule_position = KEYS[key_offset + RULE], position
local retry_micros, remaining, reset_micros
-- @include decide
-- @include combine
-- @include widen_budget
if remaining < least_remaining then
  least_remaining = remaining
end
-- @include next_rule
-- @include charge_if_allowed
-- @include batch_reply
-- @include count_denial
-- @include reply

-- @section clock_from_step
-- Declares now, which read_step_and_time sets for each step.
local now = 0

-- @section read_step
-- Reads the permits and the number of requests of a step.
if packed_steps then
  permits, requests = unpack('>I4I2', packed_steps, key_offset / rule_count * 6 + 1)
end

-- @section read_step_and_time
-- Reads the permits and the number of requests of a step, and its time, which a test passes.
permits, requests, now = unpack('>I4I2I7', packed_steps, key_offset / rule_count * 13 + 1)

-- @section combine
-- Combines the rule's decision with those of the rules before it. Omitted for a rule in shadow mode, which never
-- denies. If no decision is possible, allowed is nil and remains nil.
allowed = allowed and retry_micros == 0

-- @section limit_batch
-- Admits as many of several equal requests as fit under every rule, and sets permits to the sum of their permits.
if requests > 1 then
  admitted_count = allowed and math.min(requests, math.floor(least_remaining / permits)) or 0
  permits = allowed and permits * admitted_count or permits
end

-- @section charge_if_allowed
-- Charges the rule when all rules admit.
if allowed then
  -- @include charge
else
  -- @include not_charged
end

-- @section charge_in_shadow
-- Charges a rule in shadow mode when the others admit and it would admit too.
if allowed and retry_micros == 0 then
  -- @include charge
else
  -- @include not_charged
end

-- @section charge_attempt
-- Charges a rule that counts attempts: the request when all rules admit, else the attempt, unless the key is banned.
-- An attempt is charged
-- like an admitted request, but only up to the limit. (allowed ignores a rule in shadow mode, so retry_micros is
-- checked, too.) Then the rule decides again. If it admitted the request before the attempt and would not now,
-- retry_micros states when it would: -1 - n, see acquire.
if allowed and retry_micros == 0 then
  -- @include charge
elseif allowed ~= nil and not ban then
  local rule_admitted = retry_micros == 0
  do
    local permits = permits
    -- @include attempt
    if permits > 0 then
      -- @include charge
    end
  end
  position = rule_position
  -- @include decide_again
  -- @include not_charged
  if rule_admitted and retry_micros > 0 then
    retry_micros = -1 - retry_micros
  end
else
  -- @include not_charged
end

-- @section was_charged
-- Whether the request was admitted. It is charged then, except by rules in shadow mode that would have denied it.
local was_charged = allowed

-- @section was_charged_with_attempts
-- Whether a decision was possible: then the request was admitted, or denied and charged as an attempt by some rules.
local was_charged = allowed ~= nil

-- @section reply
-- Prepends the result of a rule to those of the rules after it.
reply = pack('>I4i7I7c0', remaining, retry_micros, reset_micros, reply)

-- @section reply_first
-- Returns the time, the result of the first rule, and the other results. This ends the script, or its function decide.
return pack('>I7I4i7I7', now, remaining, retry_micros, reset_micros) .. reply
