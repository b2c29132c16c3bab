-- Refunds a sliding counter: each of its counts, as long as some of it weighs.
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
-- @include sliding_counter_state
local of_counted, of_earlier = 0, 0
if state then
  local live = starts - window
  local began = last - last % old_window
  if old_window == window then
    before = last - window
  end
  if charged_at < began and (charged_at == 0 or charged_at >= began - old_window) and before >= live then
    of_earlier = permits < earlier and permits or earlier
  end
  if (charged_at == 0 or charged_at >= began) and last >= live then
    of_counted = permits - of_earlier
    of_counted = of_counted < counted and of_counted or counted
  end
  refunded = of_earlier + of_counted
end
-- @take
call('SETRANGE', key, '13', pack('>I5I5', counted - of_counted, earlier - of_earlier))
