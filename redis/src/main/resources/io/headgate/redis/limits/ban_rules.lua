-- Bans by rules: a rule that bans counts the denials of each key. When there are enough of them, the key contains the ban
-- instead of the count, so that a decision reads nothing more. Twin of DenialLog.
--
-- KEYS       those of the operation (acquire.lua). The key of the denials is not among them, because decisions that are
--            admitted do not use it; it is derived from the key of the rule, and is in the same slot. PREFIX includes
--            ':shadow:ID' for a shadow limiter
-- ARGV       in packed_limits, after the limit of a rule that bans: how many denials (2 bytes; 0: none is counted) within
--            how many us (6); the duration of the first ban, us (7); the longest duration, us (7)
-- Reply      of a rule whose key is banned: remaining is 2^32 - 3; retry is the us until the ban ends; reset is the us
--            since it began
-- State      the key of the rule while it is banned: 'ban', when the ban began and when it ends, us since 1970 (7 each).
--            PREFIX:dn:{KEY}, or of a colocated policy PREFIX:dn:KIND:{POLICY}:RULE:IDS: how many bans are remembered (1
--            byte), until when, us since 1970 (7), and the times of the denials that may still count, in order, us since
--            1970 (7 each)
-- Always     a ban lasts at least as long as the count that it replaces would matter, and every rule respects it, also
--            one that does not ban; nothing fails after a write
-- Cost       of a denial that is counted: GET and SET; when it begins a ban another SET. Otherwise nothing
--
-- Variables that cross sections. Of the operation, see acquire.lua: packed_limits, position, rule_position, key, now, call,
-- pack, unpack, allowed, remaining, retry_micros, reset_micros. RULE_BYTES is the length of the rule's limit in
-- packed_limits, and RULE_DENIED the number of requests that the rule denies, both filled in when the script is assembled.
--   ban    the ban of the key, as it is stored, or nil when it is not banned
--   state  the value of the key, which the file of the rule's kind reads

-- @section require_ban
-- The key has no count, so it must have a ban.
if #state ~= 17 or string.sub(state, 1, 3) ~= 'ban' then
  error('HEADGATE_FOREIGN neither a count nor a ban')
end
-- @include keep_ban

-- @section keep_ban
-- Keeps the ban. Omitted in refunds, which refund nothing then.
ban = state

-- @section check_ban
-- Denies the request if the ban is still in force.
if ban then
  local ends_at = unpack('>I7', ban, 11)
  if ends_at > now then
    retry_micros = ends_at - now
  else
    ban = nil
  end
end

-- @section skip_bans
-- Skips the arguments of bans.
position = position + 22

-- @section count_denial
-- Counts a denial by the rule, and bans the key if it is one too many.
if not ban and allowed ~= nil and (retry_micros > 0 or retry_micros == -1) then
  local most_denials, within_micros, first_micros, longest_micros = unpack('>I2I6I7I7', packed_limits,
    rule_position + RULE_BYTES)
  if most_denials > 0 then
    local prefix, kind, rest = string.match(key, '^([^:]*):([^:]*):(.*)$')
    if kind == 'shadow' then
      prefix, kind, rest = string.match(key, '^([^:]*:shadow:[^:]*):([^:]*):(.*)$')
    end
    local log_key = prefix .. ':dn:' .. (string.sub(rest, 1, 1) == '{' and kind .. ':' .. rest or '{' .. key .. '}')
    -- pcall, because this key may be in a slot that is being moved, or of another type: then this denial is the first.
    local log, bans, forgotten_at, denials, denied = redis.pcall('GET', log_key), 0, 0, '', RULE_DENIED
    if type(log) == 'string' and #log % 7 == 1 and #log > 7 then
      bans, forgotten_at = unpack('>I1I7', log)
      denials = string.sub(log, 9)
    end
    if forgotten_at <= now then
      bans = 0
    end
    local first = 1
    while first < #denials and unpack('>I7', denials, first) <= now - within_micros do
      first = first + 7
    end
    denials = string.sub(denials, first)
    if #denials / 7 + denied >= most_denials then
      -- The last digits of the time are the random part of the duration, up to a tenth.
      local ban_micros = math.min(first_micros * 2 ^ bans, longest_micros)
      ban_micros = ban_micros + math.floor(ban_micros / 10000) * (now % 1000)
      local new_ban = pack('>c3I7I7', 'ban', now, now + ban_micros)
      -- pcall, because Redis may refuse writes: then the request is denied as any other.
      if not redis.pcall('SET', key, new_ban, 'PX', string.format('%d', math.ceil(ban_micros / 1000) + 60000)).err then
        ban, bans, forgotten_at, denials = new_ban, math.min(bans + 1, 60), now + ban_micros + longest_micros, ''
      end
    else
      -- The clock may have gone back, but the times stay in order.
      local at = #denials > 0 and math.max(now, (unpack('>I7', denials, #denials - 6))) or now
      denials = denials .. string.rep(pack('>I7', at), denied)
    end
    redis.pcall('SET', log_key, pack('>I1I7', bans, forgotten_at) .. denials, 'PX',
      string.format('%d', math.ceil(math.max(within_micros, forgotten_at - now) / 1000) + 60000))
  end
end
-- @include ban_result

-- @section ban_result
-- Replaces the result of the rule by the ban, if the key is banned.
if ban then
  local began_at, ends_at = unpack('>I7I7', ban, 4)
  remaining, retry_micros, reset_micros = 4294967293, ends_at - now, math.max(0, now - began_at)
end
