package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The doctor reports the missing rights of users of a real Redis: by ACL DRYRUN from 7.0, otherwise by trying. The output states in
 * parentheses which of the two it did.
 */
@ServerVersionSensitive
class DoctorAccessIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final RedisProbe PROBE = RedisProbe.of(REDIS.url());

    /** How the doctor finds the rights on this Redis, as its output states it. */
    private static final String HOW = hasDryRun() ? "(reported by ACL DRYRUN)" : "(tried on a key of its own)";

    private static final String TRIED = "(tried on a key of its own)";

    @AfterAll
    static void stop() {
        PROBE.close();
        REDIS.close();
    }

    @AfterEach
    void only_keys_with_an_expiry_are_left() {
        assertThat(PROBE.keysWithoutExpiry("*")).isEmpty();
        PROBE.flushAll();
    }

    @Test
    void a_missing_command_is_a_problem() {
        DoctorRun run = of("lacksone", "~hg:*", "+@all", "-getrange");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains("problem  access        lacksone may not: getrange " + HOW)
                .contains("-> ACL SETUSER lacksone ~hg:* +getrange\n");
    }

    @Test
    void names_of_queues_and_streams_that_the_user_may_not_read_are_not_reported_as_examined() {
        DoctorRun run = of("lackshscan", "~hg:*", "+@all", "-hscan");
        assertThat(run.output())
                .contains("the first 0 entries of \"hg:queues\", then HSCAN failed: NOPERM")
                .contains("the first 0 entries of \"hg:streams\", then HSCAN failed: NOPERM");
    }

    @Test
    void a_missing_command_that_decisions_do_not_need_is_a_warning() {
        DoctorRun withoutEval = of("lackseval", "~hg:*", "+@all", "-eval");
        assertThat(withoutEval.output()).contains("warning  access        lackseval may not: eval " + HOW);
        DoctorRun withoutLoad = of("lacksload", "~hg:*", "+@all", "-script");
        assertThat(withoutLoad.output()).contains("warning  access        lacksload may not: script|load " + HOW);
    }

    @Test
    void a_user_who_can_neither_load_nor_send_a_script_has_a_problem() {
        DoctorRun run = of("lacksscripts", "~hg:*", "+@all", "-eval", "-script");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).contains("problem  access        lacksscripts may not: eval, script|load " + HOW);
    }

    @Test
    void missing_access_to_keys_is_a_problem() {
        DoctorRun run = of("lackskeys", "~other:*", "+@all");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains(
                        "problem  access        lackskeys lacks access to keys hg:* with: evalsha, eval, set, get, getrange,"
                                + " strlen, setrange, pexpire, unlink " + HOW)
                .contains("-> ACL SETUSER lackskeys ~hg:*\n");
        assertThat(of("otherkeys", "~other:*", "+@all", "--key-prefix", "other").output())
                .contains("ok       access        otherkeys has all rights that limits need on keys other:* " + HOW);
    }

    @Test
    void missing_keys_and_commands_are_found_without_acl_dryrun() {
        DoctorRun run = of("lacksboth", "~other:*", "+@all", "-acl", "+acl|whoami", "-pexpire", "-time");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains(
                        "problem  access        lacksboth may not: time, pexpire; lacksboth lacks access to keys hg:* with: "
                                + "evalsha, eval, set, get, getrange, strlen, setrange, unlink " + TRIED)
                .contains("-> ACL SETUSER lacksboth ~hg:* +time +pexpire\n");
    }

    @Test
    void missing_rights_of_a_user_are_listed_and_unreadable_data_is_only_a_note() {
        DoctorRun run = of("few", "~hg:*", "+ping", "+get", "+set", "+evalsha", "+eval");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains("problem  access        this user may not: script|load, time, getrange, strlen, setrange,"
                        + " pexpire, unlink, ")
                .contains(TRIED)
                .contains("-> ACL SETUSER USER ~hg:* +script|load +time +getrange")
                .contains("note     memory        unknown: this user may not run INFO")
                .contains("note     clock         unknown: this user may not run TIME")
                .contains("note     slow scripts  unknown: this user may not run SLOWLOG")
                .contains("note     keys          unknown: this user may not run SCAN")
                .doesNotContain("secret");
    }

    @Test
    void missing_rights_for_hot_keys_are_listed_and_are_no_failure() {
        DoctorRun run = of("lackshot", "~hg:*", "+@all", "-hvals", "-zadd");
        assertThat(run.exitCode()).isZero();
        assertThat(run.output())
                .contains("ok       access        lackshot has all rights that limits need on keys hg:* " + HOW)
                .contains("note     hot keys      lackshot may not count or read them, because it lacks: hvals, zadd "
                        + HOW)
                .contains("-> to use them: ACL SETUSER lackshot +hvals +zadd\n");
        assertThat(of("trieshot", "~hg:*", "+@all", "-acl", "+acl|whoami", "-zcard")
                        .output())
                .contains(
                        "note     hot keys      trieshot may not count or read them, because it lacks: zcard " + TRIED);
        assertThat(of("hashot", "~hg:*", "+@all").output()).doesNotContain("hot keys");
    }

    @Test
    void each_part_with_a_missing_right_is_listed_with_it() {
        assertThat(of("lackspart", "~hg:*", "&hg:*", "+@all", "-xadd", "-lpush", "-zrem")
                        .output())
                .contains("ok       access        lackspart has all rights")
                .contains(
                        "note     fallbacks     lackspart may not register and count instances for local shares, because it lacks: zrem "
                                + HOW)
                .contains("note     in flight     lackspart may not hold permits, because it lacks: zrem " + HOW)
                .contains("note     queues        lackspart may not use them, because it lacks: lpush, zrem " + HOW)
                .contains("note     streams       lackspart may not use them, because it lacks: xadd " + HOW)
                .contains("-> to use them: ACL SETUSER lackspart +lpush +zrem\n");
    }

    @Test
    void commands_that_write_or_subscribe_are_tried_too_and_leave_no_key() {
        assertThat(of(
                                "triespart",
                                "~hg:*",
                                "&hg:*",
                                "+@all",
                                "-acl",
                                "+acl|whoami",
                                "-hset",
                                "-lpush",
                                "-rpush",
                                "-xadd",
                                "-subscribe")
                        .output())
                .contains("ok       access        triespart has all rights")
                .contains(
                        "note     hot keys      triespart may not count or read them, because it lacks: hset " + TRIED)
                .contains("take effect there after up to a second, because it lacks: subscribe " + TRIED)
                .contains("queues        triespart may not use them, because it lacks: hset, lpush, rpush, subscribe "
                        + TRIED)
                .contains("streams       triespart may not use them, because it lacks: xadd " + TRIED);
        assertThat(PROBE.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void a_user_who_may_neither_remove_keys_nor_set_expiries_leaves_only_keys_that_expire() {
        DoctorRun run = of("triesall", "~hg:*", "&hg:*", "+@all", "-acl", "+acl|whoami", "-unlink", "-pexpire");
        assertThat(run.output()).contains("triesall may not: pexpire, unlink " + TRIED);
        // The expiry of each key is checked after each test.
        assertThat(PROBE.command("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void missing_access_to_channels_is_reported() {
        assertThat(of("lackschannels", "~hg:*", "+@all").output())
                .contains("note     in flight     lackschannels may not hold permits, because it lacks: &hg:* " + HOW)
                .contains("-> to use them: ACL SETUSER lackschannels &hg:*\n")
                .contains("note     queues ")
                .doesNotContain("note     streams");
    }

    /** SETRANGE could leave a key without expiry. */
    @Test
    void a_user_who_may_write_keys_but_neither_expire_nor_remove_them_leaves_no_key() {
        DoctorRun run = of("writer", "~hg:*", "+ping", "+setrange");
        assertThat(run.output()).contains("may not: evalsha, eval, ").contains(TRIED);
        assertThat(PROBE.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void renamed_commands_are_a_problem() throws IOException {
        try (RedisServer renamed =
                RedisServer.startOwn("--rename-command", "UNLINK", "", "--rename-command", "EVAL", "RUN")) {
            DoctorRun run = DoctorRun.of("--redis", renamed.url());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.output())
                    .contains("problem  access        this Redis does not have: eval, unlink " + TRIED)
                    .contains("-> do not rename commands");
        }
    }

    @Test
    void the_guide_grants_exactly_the_rights_that_the_doctor_checks() throws IOException {
        String line = Files.readString(Path.of("../docs/connecting.md"))
                .lines()
                .filter(text -> text.contains("ACL SETUSER headgate"))
                .findFirst()
                .orElseThrow()
                .strip();
        Set<String> checked = new TreeSet<>(DoctorRights.NEEDED.keySet());
        DoctorRights.PARTS.forEach(part -> checked.addAll(part.examples().keySet()));
        // The doctor does not check these: a queue with a durability fails without them, and states that.
        checked.addAll(List.of("wait", "waitaof"));
        assertThat(Pattern.compile("\\+(\\S+)").matcher(line).results().map(found -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(checked);
        // Redis before 7.2 does not have these two.
        PROBE.command(
                line.replace(" +client|setinfo", "").replace(" +waitaof", "").split(" "));
        DoctorRun run = DoctorRun.of("--redis", REDIS.url().replace("redis://", "redis://headgate:password@"));
        assertThat(run.output())
                .contains("ok       access        ")
                .contains(TRIED)
                .doesNotContain("because it lacks");
        assertThat(PROBE.command("DBSIZE")).isEqualTo(0L);
    }

    /**
     * Runs the doctor as a user with these rights; options begin at the first {@code --}. Redis 6.2 lets a new user use
     * every channel and Redis 7 none, so the rights start with none.
     */
    private static DoctorRun of(String user, String... rightsAndOptions) {
        List<String> rights =
                new ArrayList<>(List.of("ACL", "SETUSER", user, "reset", "resetchannels", "on", ">secret"));
        List<String> options = new ArrayList<>();
        for (String given : rightsAndOptions) {
            (options.isEmpty() && !given.startsWith("--") ? rights : options).add(given);
        }
        PROBE.command(rights.toArray(String[]::new));
        options.add("--redis");
        options.add(REDIS.url().replace("redis://", "redis://" + user + ":secret@"));
        return DoctorRun.of(options.toArray(String[]::new));
    }

    private static boolean hasDryRun() {
        try {
            PROBE.command("ACL", "DRYRUN", "default", "PING");
            return true;
        } catch (RedisProbe.ErrorReply e) {
            return false;
        }
    }
}
