-- Has the key live for longer than what is held there: seldom set anew, and never shortened, as others may have longer leases.
if call('PTTL', key) < rest - 60000 then
  call('PEXPIRE', key, rest)
end
