package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.internal.script.Script;
import io.headgate.testkit.RedisProbe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Compares lines with a committed file, so that a change of the stored bytes or of the scripts appears in the diff of that file.
 * {@code -Dheadgate.golden=write} writes the files.
 */
public final class Golden {

    private static final Path FOLDER = Path.of("src/test/resources/io/headgate/redis/golden");

    /**
     * Renders every key: its type, whether it expires, and its content in printable ASCII. Values that differ between runs are
     * replaced: the expiry in the state of a limit by zeros, the ids of claims by numbered placeholders, and, if ARGV[1] is 'clock of
     * Redis', times by {@code <time>} and ids of stream entries by {@code <entry>}.
     */
    private static final String RENDER = """
            local names = redis.call('KEYS', '*')
            table.sort(names)
            local ids = {}
            for _, name in ipairs(names) do
              if name:match(':leases$') then
                for _, id in ipairs(redis.call('ZRANGE', name, 0, -1)) do ids[#ids + 1] = id end
              end
            end
            local function replaced(text, old, new)
              local from, to = text:find(old, 1, true)
              while from do
                text = text:sub(1, from - 1) .. new .. text:sub(to + 1)
                from, to = text:find(old, from + #new, true)
              end
              return text
            end
            local function printable(text)
              for number, id in ipairs(ids) do text = replaced(text, id, '<claim ' .. number .. '>') end
              if ARGV[1] == 'clock of Redis' then
                text = text:gsub('\\6[\\96-\\98].....', '<time>'):gsub('%d%d%d%d%d%d%d%d%d%d%d%d%d+%-%d+', '<entry>')
                  :gsub('^%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d$', '<time>')
              end
              return (text:gsub('[%z%c\\\\\\128-\\255]', function(byte) return ('\\\\x%02x'):format(byte:byte()) end))
            end
            local function each(list)
              local entries = {}
              for i, entry in ipairs(list) do entries[i] = printable(entry) end
              return entries
            end
            local function pairs_of(list)
              local entries = {}
              for i = 1, #list, 2 do
                entries[#entries + 1] = printable(list[i]) .. ' = ' .. printable(list[i + 1])
              end
              return entries
            end
            local function sorted(entries)
              table.sort(entries)
              return entries
            end
            -- The offset and the length of the expiry in the state of each kind of limit (decision 0023).
            local expiry_at = {fw = 20, cw = 20, sc = 23, sw = 53, tb = 23, lb = 23}
            local expiry_bytes = {fw = 7, cw = 7, sc = 5, sw = 7, tb = 5, lb = 5}
            local render = {}
            function render.string(name)
              local state = redis.call('GET', name)
              local kind = name:match('^%w+:(%l%l):')
              local at = expiry_at[kind]
              if at then
                state = state:sub(1, at) .. ('\\0'):rep(expiry_bytes[kind]) .. state:sub(at + expiry_bytes[kind] + 1)
              end
              return {printable(state)}
            end
            function render.hash(name) return sorted(pairs_of(redis.call('HGETALL', name))) end
            function render.zset(name) return pairs_of(redis.call('ZRANGE', name, 0, -1, 'WITHSCORES')) end
            function render.set(name) return sorted(each(redis.call('SMEMBERS', name))) end
            function render.list(name) return each(redis.call('LRANGE', name, 0, -1)) end
            function render.stream(name)
              local entries = {}
              for _, entry in ipairs(redis.call('XRANGE', name, '-', '+')) do
                entries[#entries + 1] = printable(entry[1]) .. ': ' .. table.concat(pairs_of(entry[2]), ', ')
              end
              for _, group in ipairs(redis.call('XINFO', 'GROUPS', name)) do
                entries[#entries + 1] = 'group ' .. group[2] .. ': consumers ' .. group[4] .. ', pending ' .. group[6]
              end
              return entries
            end
            local lines = {}
            for _, name in ipairs(names) do
              local type = redis.call('TYPE', name).ok
              lines[#lines + 1] = name .. ' (' .. type .. (redis.call('PTTL', name) > 0 and ', expires)' or ')')
              for _, line in ipairs(render[type](name)) do lines[#lines + 1] = '  ' .. line end
            end
            return lines
            """;

    private Golden() {}

    /** Compares the names of scripts and the SHA-1 of their source. */
    public static void assertScripts(String file, List<Script> scripts) {
        assertLines(
                file,
                scripts.stream()
                        .map(script -> script.sha1() + " " + script.name())
                        .toList());
    }

    /** Compares everything in Redis, as written by an engine whose clock the test sets. */
    public static void assertStored(String file, RedisProbe probe) {
        assertStored(file, probe, "clock given");
    }

    /** Compares everything in Redis except times and ids of stream entries, as written by an engine that uses Redis's clock. */
    public static void assertStoredByRedisClock(String file, RedisProbe probe) {
        assertStored(file, probe, "clock of Redis");
    }

    private static void assertStored(String file, RedisProbe probe, String clock) {
        List<?> lines = (List<?>) Objects.requireNonNull(probe.command("EVAL", RENDER, "0", clock));
        assertLines(file, lines.stream().map(String::valueOf).toList());
    }

    private static void assertLines(String file, List<String> lines) {
        Path golden = FOLDER.resolve(file);
        try {
            if (System.getProperty("headgate.golden", "").equals("write")) {
                Files.createDirectories(FOLDER);
                Files.write(golden, lines);
            }
            assertThat(lines)
                    .as("%s; if the change is intended, write the file with -Dheadgate.golden=write", golden)
                    .containsExactlyElementsOf(Files.readAllLines(golden));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
