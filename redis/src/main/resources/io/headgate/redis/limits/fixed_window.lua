-- The fixed window 'fw', twin of FixedWindowAlgorithm: counts permits in a window that begins with its first request
-- or is aligned to the clock.
--
-- KEYS and reply are those of the operation (acquire.lua, refund.lua).
-- ARGV       in packed_limits: limit (4 bytes); window in us (6); the expiry of the key in ms (6); 0 for windows
--            aligned to the clock, 1 for windows that begin with their first request (1)
-- State      a string of 27 bytes: when the first and the last counted permits were charged, us since 1970 (7
--            each), the count (6), when the key expires, us since 1970 (7); or a ban, see ban_rules.lua
-- Always     the count never exceeds the limit, unless the limit was lowered
-- Cost       GET; when charged, a SETRANGE, or a SET where the expiry must be set
--
-- Variables that cross sections; calendar_window.lua shares most of them. Of the operation, see acquire.lua:
-- packed_limits, position, now, key, call, pack, unpack, permits, remaining, retry_micros, reset_micros; see
-- refund.lua: charged_at_micros, refunded.
--   limit             permits of each window
--   window_micros     the length of the window, us
--   ttl_millis        how long the key lives after a charge that sets its expiry, ms
--   from_first        0: windows aligned to the clock; 1: windows that begin with their first request
--   first_charge      when the first counted permit was charged, us since 1970
--   last_charge       when the last counted permit was charged, us since 1970
--   count             permits counted in the window
--   expires_at_micros when the key expires, us since 1970
--   key_time          now, or last_charge where that is later: the time of the key never runs backwards
--   state             the stored count; false without a key, nil if the key has a ban
--   window_start      when the window that contains key_time begins, us since 1970
--   window_end        when that window ends, us since 1970

-- @section fixed_window
-- Decides and charges a fixed window.
-- @include fixed_window_limit
-- @include fixed_window_state
-- @include fixed_window_locate
-- @include fixed_window_decide
-- @charge
-- @include fixed_window_charge
-- @attempt
-- @include fixed_window_attempt

-- @section fixed_window_limit
-- Unpacks the limit from packed_limits.
local limit, window_micros, ttl_millis, from_first
limit, window_micros, ttl_millis, from_first, position = unpack('>I4I6I6I1', packed_limits, position)

-- @section fixed_window_state
-- Reads the stored window.
local first_charge, last_charge, count, expires_at_micros, key_time = now, 0, 0, 0, now
local state = call('GET', key)
if state and #state ~= 27 then
  -- @include require_ban
  state = nil
end
if state then
  first_charge, last_charge, count, expires_at_micros = unpack('>I7I7I6I7', state)
  if last_charge > now then
    key_time = last_charge
  end
end

-- @section fixed_window_locate
-- Finds the window that contains key_time, and the count in it.
local window_start, window_end
if from_first == 0 then
  window_start = key_time - key_time % window_micros
  window_end = window_start + window_micros
  if last_charge < window_start or count == 0 then
    first_charge, count = key_time, 0
  end
else
  if key_time >= first_charge + window_micros or count == 0 then
    first_charge, count = key_time, 0
  end
  window_start, window_end = first_charge, first_charge + window_micros
end

-- @section fixed_window_decide
-- Decides: computes remaining, retry_micros and reset_micros of a window whose end is known.
remaining = limit > count and limit - count or 0
retry_micros = permits <= remaining and 0 or permits > limit and -1 or window_end - now
reset_micros = count > 0 and window_end - now or 0

-- @section fixed_window_charge
-- Charges the window, and sets the expiry if it is less than a minute after the end of the window.
if expires_at_micros < window_end + 60000000 then
  call('SET', key, pack('>I7I7I6I7', first_charge, key_time, count + permits, now + ttl_millis * 1000),
    'PX', string.format('%d', ttl_millis))
else
  call('SETRANGE', key, '0', pack('>I7I7I6', first_charge, key_time, count + permits))
end
remaining, reset_micros = remaining - permits, window_end - now

-- @section fixed_window_attempt
-- An attempt raises the count to the limit at most.
permits = permits < limit - count and permits or limit - count

-- @section fixed_window_refund
-- Refunds a fixed window.
-- @include fixed_window_limit
-- @include fixed_window_state
-- @include fixed_window_locate
-- @include fixed_window_refundable
-- @write
-- @include fixed_window_write_refund

-- @section fixed_window_refundable
-- Computes refunded: only permits that were charged in this window.
if charged_at_micros == 0 or charged_at_micros >= window_start then
  refunded = permits < count and permits or count
end

-- @section fixed_window_write_refund
-- Subtracts the refund from the count.
call('SETRANGE', key, '14', pack('>I6', count - refunded))
