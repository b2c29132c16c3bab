-- Decides a request without charging it.
--
-- KEYS, ARGV, reply and cost are those of acquire (acquire.lua). The remaining permits and the reset in the reply are
-- without the request's own charge.
--
-- Always     nothing is written
--
-- Variables that cross sections are those of acquire.lua: packed_limits, position, permits, requests,
-- allowed, reply, key, remaining, retry_micros, reset_micros; and from common.lua: call, pack,
-- unpack, now.

-- @section peek
-- Decides as acquire does, and returns the state of each rule before a charge.
-- @include calls
-- @include clock
local packed_limits, position, permits, requests, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules

-- @section peek_rule
-- One rule of peek, with the rules after it nested at next_rule.
local key = KEYS[RULE]
local retry_micros, remaining, reset_micros
-- @include decide
-- @include not_charged
-- @include next_rule
-- @include ban_result
-- @include reply
