package io.headgate.limits.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The bans and exemptions of an engine. A ban denies all requests with a value of an attribute, an exemption allows them, whatever the
 * limits of their policy are.
 *
 * <pre>{@code
 * Bans bans = limits.bans();
 * bans.add(BanRequest.ban(BanTarget.user("mallory")).lasting(Duration.ofHours(1)).because("card testing"));
 * Decision decision = payments.tryAcquire("mallory"); // denied, on the basis BANNED
 * bans.lift(BanTarget.user("mallory"));
 * }</pre>
 *
 * <p><b>Which one wins.</b> If an exemption applies to a request, bans do not. If a counted and another exemption apply, the request is
 * not counted. Of several bans, the decision reports the one that ends last. A target has one entry: a ban or an exemption.
 *
 * <p><b>In-flight limits.</b> A ban denies requests for {@linkplain io.headgate.limits.Hold holds}, and ends the wait for one. Holds
 * that exist stay, and can be renewed and released.
 *
 * <p><b>What is not affected.</b> Exemptions do not apply to in-flight limits, which protect what can do only so much at the same time.
 * {@linkplain io.headgate.limits.Limiter#refund Refunds} ignore bans and exemptions. An exemption does not end a {@linkplain
 * io.headgate.limits.Limiter#pause pause}.
 *
 * <p><b>On Redis</b>, each instance has all entries in memory, so that a decision needs no further call, and a banned request none at all.
 * A change takes effect in the instance that makes it before the method returns. The others receive it by a message or, if that is lost,
 * within a second. A new instance has the entries once it has connected and read them. While Redis does not reply, each instance keeps
 * those it has. Entries are as durable as other data of your Redis.
 *
 * <p>Safe for use by any number of threads. Methods that change entries block until the store has replied.
 */
public interface Bans {

    /** The most entries. */
    int MAX_ENTRIES = 100_000;

    /** The most entries whose target is a block of more than one IP address. */
    int MAX_BLOCKS = 10_000;

    /**
     * Adds a ban or an exemption. If the target has an entry of the same kind, that entry gets the reason and the author of this request,
     * and ends at the later of both times: a second ban never shortens the first. To shorten it, {@link #lift} it first.
     *
     * @return the entry that is now in force
     * @throws IllegalArgumentException if the target has an entry of another kind, or the entries have reached {@link #MAX_ENTRIES} or
     *     {@link #MAX_BLOCKS}; nothing changes
     * @throws LimiterException if the store fails or does not reply in time. The entry may be added nevertheless; you can repeat the call
     */
    BanEntry add(BanRequest request);

    /**
     * Removes the entry of a target, and wakes waiting requests. Entries of other targets stay, even if they apply to the same requests.
     *
     * @return the removed entry; empty if there was none
     * @throws LimiterException if the store fails or does not reply in time. The entry may be removed nevertheless; you can repeat the call
     */
    Optional<BanEntry> lift(BanTarget target);

    /** Returns the entry of exactly this target, as this instance knows it. */
    Optional<BanEntry> find(BanTarget target);

    /**
     * Returns the entry that applies to a request, as this instance knows it. A {@linkplain Decision#ban() decision} returns the same.
     *
     * @param policy the name of the policy
     */
    Optional<BanEntry> applicable(String policy, Attributes attributes);

    /**
     * Returns the attributes that targets of entries have, so that a caller that would resolve them for bans only can leave out the
     * others. Empty without entries. Cheap enough for each request.
     */
    Set<String> attributes();

    /** Returns all entries in force that this instance knows, sorted by target. */
    List<BanEntry> entries();

    /** Returns the number of entries of a kind in force that this instance knows. */
    long count(BanEntry.Kind kind);
}
