"""The pipeline dialect: artifacts in a folder of the branch."""
