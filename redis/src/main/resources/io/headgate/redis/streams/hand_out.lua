-- Adds a list of entries to the reply. Where the lease is shorter than the minimum idle time, they count as idle already.
local function hand_out(entries)
  local chunk = cmsgpack.pack(entries)
  n, bytes = n + #entries, bytes + #chunk
  chunks[#chunks + 1] = chunk
  if lease < min_idle then
    local ids = {}
    for i = 1, #entries do
      ids[i] = entries[i][1]
    end
    ids[#ids + 1] = 'IDLE'
    ids[#ids + 1] = min_idle - lease
    ids[#ids + 1] = 'JUSTID'
    call('XCLAIM', stream, ARGV[1], ARGV[2], 0, unpack(ids))
  end
end
