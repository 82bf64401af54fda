"""The rule files of the deterministic extractor; en.toml explains their format."""
