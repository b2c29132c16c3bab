-- A lease shorter than the minimum idle time: its entries count as idle already.
if lease < min_idle and n > 0 then
  ids[n + 1], ids[n + 2], ids[n + 3] = 'IDLE', min_idle - lease, 'JUSTID'
  call('XCLAIM', KEYS[14], ARGV[1], ARGV[2], 0, unpack(ids))
end
