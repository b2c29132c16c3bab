-- The sliding counter 'sc', twin of SlidingCounterAlgorithm: the counts of two fixed windows. The older count is
-- weighted by the share of its window that the sliding window still covers.
--
-- KEYS and reply are those of the operation (acquire.lua, refund.lua).
-- ARGV       in packed_limits: limit (4 bytes); window in us (6); the expiry of the key in ms (6)
-- State      a string of 28 bytes: the last charge, us since 1970 (7 bytes); the length of the window at that charge,
--            us (6); permits counted in the window of the last charge (5) and in the window before it (5), both
--            aligned to the clock; when the key expires, s since 1970 (5)
-- Always     the estimate is rounded up, so that rounding never admits
-- Cost       GET; when charged, a SETRANGE, or a SET where the expiry must be set
--
-- Variables that cross sections. Of the operation, see acquire.lua: packed_limits, position, now, key, call, pack,
-- permits, remaining, retry_micros, reset_micros; see refund.lua: charged_at_micros (0 if unknown), refunded.
--   limit               permits of each window
--   window_micros       the length of the window, us
--   ttl_millis          how long the key lives after a charge that sets its expiry, ms
--   last_charge         when the key was last charged, us since 1970
--   stored_window       the length of the window at the last charge, us; nil when the key does not exist
--   stored_count        permits stored for the window of the last charge
--   stored_previous     permits stored for the window before that
--   expires_at_seconds  when the key expires, seconds since 1970
--   key_time            now, or last_charge where that is later: the time of the key never runs backwards
--   window_start        when the window that contains key_time begins; nil when the key does not exist
--   count               permits in the window that contains key_time
--   previous_count      permits in the window before it
--   previous_until      the latest time at which permits of stored_previous may have been charged, us since 1970
--   window_left         from key_time to the end of its window, us
--   fits_in_double      whether products of permits and times stay below 2^52, so that plain arithmetic is exact
--   mul_div             function of common.lua, declared here; nil where fits_in_double
--   state               the stored string, or false
--   refund_count, refund_previous  permits to subtract from stored_count and stored_previous

-- @section sliding_counter
-- Decides and charges a sliding counter.
local limit, window_micros, ttl_millis
limit, window_micros, ttl_millis, position = unpack('>I4I6I6', packed_limits, position)
-- @include sliding_counter_state
local window_left = window_micros - key_time % window_micros
local fits_in_double = (count + previous_count + limit) * window_micros < 4503599627370496
local mul_div
if not fits_in_double then
  -- @include mul_div
end
local weight = 0
if previous_count > 0 then
  if fits_in_double then
    weight = math.ceil(previous_count * window_left / window_micros)
  else
    local remainder
    weight, remainder = mul_div(window_left, previous_count, window_micros)
    weight = remainder > 0 and weight + 1 or weight
  end
end
remaining = limit > count + weight and limit - count - weight or 0
reset_micros = count > 0 and window_left + window_micros or previous_count > 0 and window_left or 0
if reset_micros > 0 then
  reset_micros = reset_micros + key_time - now
end
if permits <= remaining then
  retry_micros = 0
elseif permits > limit then
  retry_micros = -1
else
  -- The request fits as soon as at most tolerable_micros of the window of decaying_count are in the sliding window.
  local decaying_count, room, decay_start = previous_count, limit - count - permits, window_left - window_micros
  if room < 0 then
    decaying_count, room, decay_start = count, limit - permits, window_left
  end
  local tolerable_micros = fits_in_double and math.floor(room * window_micros / decaying_count)
    or mul_div(window_micros, room, decaying_count)
  retry_micros = decay_start + window_micros - tolerable_micros + key_time - now
end
-- @charge
remaining, reset_micros = remaining - permits, window_left + window_micros + key_time - now
-- Set the expiry if it is less than a minute after the reset.
local counts = pack('>I7I6I5I5', key_time, window_micros, count + permits, previous_count)
if expires_at_seconds * 1000000 < now + reset_micros + 60000000 then
  call('SET', key, counts .. pack('>I5', now / 1000000 + ttl_millis / 1000), 'PX', string.format('%d', ttl_millis))
else
  call('SETRANGE', key, '0', counts)
end
-- @attempt
-- An attempt raises the count to the limit at most.
permits = permits < limit - count and permits or limit - count

-- @section sliding_counter_state
-- Reads the two counts, and assigns them to the window that contains key_time and to the window before it.
local last_charge, stored_count, stored_previous, expires_at_seconds, key_time = 0, 0, 0, 0, now
local count, previous_count, stored_window, window_start, previous_until = 0, 0, nil, nil, nil
local state = call('GET', key)
if state and #state ~= 28 then
  -- @include require_ban
  state = nil
end
if state then
  last_charge, stored_window, stored_count, stored_previous, expires_at_seconds = unpack('>I7I6I5I5I5', state)
  -- Headgate stores no window below 1 ms. Counts above 2^34 would be too large for mul_div.
  if stored_window < 1000 or stored_count > 17179869184 or stored_previous > 17179869184 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  if last_charge > now then
    key_time = last_charge
  end
  window_start = key_time - key_time % window_micros
  if last_charge >= window_start then
    count = stored_count
  elseif last_charge >= window_start - window_micros then
    previous_count = stored_count
  end
  -- When the length of the window was changed, the older count may belong to the current window or to the one before.
  previous_until = last_charge - last_charge % stored_window - 1
  if stored_window == window_micros and last_charge >= window_start then
    previous_count = stored_previous
  elseif stored_window ~= window_micros and previous_until >= window_start then
    count = count + stored_previous
  elseif stored_window ~= window_micros and previous_until >= window_start - window_micros then
    previous_count = previous_count + stored_previous
  end
end

-- @section sliding_counter_refund
-- Refunds a sliding counter: either count, as long as the sliding window covers a part of its window.
local limit, window_micros, ttl_millis
limit, window_micros, ttl_millis, position = unpack('>I4I6I6', packed_limits, position)
-- @include sliding_counter_state
local refund_count, refund_previous = 0, 0
if state then
  local live_from = window_start - window_micros
  local stored_window_start = last_charge - last_charge % stored_window
  -- If the length of the window is unchanged, the older count is refunded only if the last charge was in the current
  -- window. The comparison of this value with live_from checks that.
  if stored_window == window_micros then
    previous_until = last_charge - window_micros
  end
  if charged_at_micros < stored_window_start
    and (charged_at_micros == 0 or charged_at_micros >= stored_window_start - stored_window) and previous_until >=
    live_from then
    refund_previous = permits < stored_previous and permits or stored_previous
  end
  if (charged_at_micros == 0 or charged_at_micros >= stored_window_start) and last_charge >= live_from then
    refund_count = permits - refund_previous
    refund_count = refund_count < stored_count and refund_count or stored_count
  end
  refunded = refund_previous + refund_count
end
-- @write
call('SETRANGE', key, '13', pack('>I5I5', stored_count - refund_count, stored_previous - refund_previous))
