-- The calendar window 'cw', twin of FixedWindowAlgorithm: a fixed window of a day, week or month, whose bounds the
-- caller passes.
--
-- KEYS are those of the operation (acquire.lua, refund.lua).
-- ARGV       in packed_limits: limit (4 bytes); how long the count is kept after its period, in ms (6); when three
--            consecutive periods begin and when the third of them ends, us since 1970 (7 each)
-- Reply      as acquire. If these periods do not contain the time, no rule is charged, remaining is 2^32 - 1, and
--            reset is the us from now to a time in the right periods. The caller then sends the request again, with
--            the periods about that time
-- State      see fixed_window.lua
-- Cost       GET; when charged, a SETRANGE, or a SET where the expiry must be set
--
-- Variables that cross sections. Of the operation, see acquire.lua: packed_limits, position, now, allowed,
-- remaining, retry_micros, reset_micros; see refund.lua: refunded. Shared with fixed_window.lua, which describes
-- them: limit, ttl_millis, first_charge, last_charge, count, key_time, window_start, window_end.
--   first_start, second_start, third_start, fourth_start  when the three periods begin, and when the third ends, us
--                                                         since 1970

-- @section calendar_window
-- Decides and charges a calendar window.
local limit, keep_millis, first_start, second_start, third_start, fourth_start
limit, keep_millis, first_start, second_start, third_start, fourth_start, position = unpack('>I4I6I7I7I7I7',
  packed_limits, position)
-- @include fixed_window_state
-- @include calendar_window_locate
local ttl_millis = math.floor((window_end - now) / 1000) + keep_millis
-- @include fixed_window_decide
if key_time < first_start or key_time >= fourth_start then
  allowed, remaining, retry_micros, reset_micros = nil, 4294967295, -1, key_time - now
end
-- @charge
-- @include fixed_window_charge
-- @attempt
-- @include fixed_window_attempt

-- @section calendar_window_locate
-- Finds the period that contains key_time, and the count in it.
local window_start, window_end = second_start, third_start
if key_time < second_start then
  window_start, window_end = first_start, second_start
elseif key_time >= third_start then
  window_start, window_end = third_start, fourth_start
end
if last_charge < window_start then
  first_charge, count = key_time, 0
end

-- @section calendar_window_refund
-- Refunds a calendar window.
local limit, keep_millis, first_start, second_start, third_start, fourth_start
limit, keep_millis, first_start, second_start, third_start, fourth_start, position = unpack('>I4I6I7I7I7I7',
  packed_limits, position)
-- @include fixed_window_state
-- @include calendar_window_locate
-- @include fixed_window_refundable
if key_time < first_start or key_time >= fourth_start then
  allowed, refunded, reset_micros = nil, 4294967295, key_time - now
end
-- @write
-- @include fixed_window_write_refund
