"""The envelope dialect: typed messages as YAML front matter, described by ``formats.yml``."""
