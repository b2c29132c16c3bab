package io.headgate.config.internal.stores;

/**
 * The keys of stored policies. All begin with one prefix, so that a store can restrict a user to them.
 *
 * <table>
 * <caption>Keys, after the prefix {@code hg/config/policies/}</caption>
 * <tr><td>{@code current}</td><td>the {@link StoredVersion} in force</td></tr>
 * <tr><td>{@code versions/000000000000017}</td><td>the {@link StoredVersion} with this number</td></tr>
 * <tr><td>{@code texts/000000000000017-5f0c3e9a71d2b846/00000}</td><td>a part of its texts, see {@link TextParts}</td></tr>
 * <tr><td>{@code instances/ID}</td><td>the report of a process, which expires with its lease</td></tr>
 * <tr><td>{@code previews/ID}</td><td>what that process has found about the shadow version, see {@link PreviewText}</td></tr>
 * <tr><td>{@code current-shadow}, {@code shadow/versions/}, {@code shadow/texts/}</td><td>the same for the shadow version as {@code
 * current}, {@code versions/} and {@code texts/}</td></tr>
 * </table>
 *
 * <p>Digits are padded, so that keys are in the order of the numbers. The texts have the random name of their write attempt, so that two
 * writers of the same number never write the same key.
 *
 * @param root the prefix, without its last slash
 * @param current the key of the version in force. That of the shadow version begins with it, so that both are watched and read together
 */
public record StoreKeys(String root, String current) {

    private static final String NUMBER = "%015d";

    /**
     * Returns the keys of a store.
     *
     * @param start what precedes the first part of a key: a slash in etcd, nothing in Consul
     * @param keyPrefix the first part of all keys
     */
    public static StoreKeys of(String start, String keyPrefix) {
        String root = start + keyPrefix + "/config/policies";
        return new StoreKeys(root, root + "/current");
    }

    /** Returns the keys of the shadow version. */
    public StoreKeys shadow() {
        return new StoreKeys(root + "/shadow", current + "-shadow");
    }

    /** The prefix of all versions. */
    public String versions() {
        return root + "/versions/";
    }

    public String version(long number) {
        return versions() + NUMBER.formatted(number);
    }

    /** The prefix of all texts. */
    String texts() {
        return root + "/texts/";
    }

    /** The prefix of all parts of a version. */
    String texts(long number, String attempt) {
        return texts() + NUMBER.formatted(number) + "-" + attempt + "/";
    }

    /** A part of a version. */
    String part(long number, String attempt, int part) {
        return texts(number, attempt) + "%05d".formatted(part);
    }

    /** The prefix of all reports. */
    public String instances() {
        return root + "/instances/";
    }

    /** The prefix of all previews. */
    public String previews() {
        return root + "/previews/";
    }
}
