-- Takes over entries whose lease has expired, in bounded steps, of which one goes on where the last one ended; between two
-- rounds is a tenth of the minimum idle time, and at most a second. Those that have crashed too often are dead letters;
-- those that were deleted are no longer pending. At the end of a round, consumers go that are silent and have nothing.
local every = math.min(1000000, min_idle * 100)
if room > 0 and (now >= look_at or look_at > now + every) then
  local found =
    in_group('XAUTOCLAIM', stream, ARGV[1], ARGV[2], min_idle, cursor, 'COUNT', math.min(room, at_once), 'JUSTID')
  local entries = {}
  for _, id in ipairs(found[2]) do
    local crashes = call('XPENDING', stream, ARGV[1], id, id, 1)[1][4]
    local entry = call('XCLAIM', stream, ARGV[1], ARGV[2], 0, id)[1]
    local job = entry and crashes >= max_crashes and as_job(id, entry[2], crashes)
    if job then
      bury(job, 0, 1, 'its lease expired ' .. crashes .. ' times')
      given_up = given_up + 1
    end
    if job or not entry then
      call('XACK', stream, ARGV[1], id)
    else
      entries[#entries + 1] = {id, entry[2], tostring(crashes + 1)}
    end
  end
  -- Redis 7 has acked those that were deleted itself, and names them.
  if #found[2] > 0 or #(found[3] or {}) > 0 or fence == 0 then
    fence = math.max(now, fence + 1)
  end
  if #entries > 0 then
    hand_out(entries)
  end
  look_at, cursor, changed = now, found[1], true
  if cursor == '0-0' then
    look_at = now + every
    -- @include remove_silent
  end
end
more = math.max(now, math.min(more, look_at))
